// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// SIGTERM and SIGINT shut down the sockets on which the process waits, so that it closes its
// connections properly.
#ifndef XIW_RNIC_HANGUP_HPP
#define XIW_RNIC_HANGUP_HPP

#include <atomic>
#include <csignal>

#include <pthread.h>
#include <sys/socket.h>

namespace xiw::rnic {

// There is one object in a process. It is static, because the signal handler needs it. The
// destructor forgets the sockets, because other files may get their descriptor numbers.
class Hangup {
  public:
    explicit Hangup(int listener) {
        struct sigaction action{};

        listener_ = listener;
        action.sa_handler = [](int) {
            asked_ = true;
            shutdown(listener_, SHUT_RDWR);
            shutdown(client_, SHUT_RDWR);
        };
        action.sa_flags = SA_RESTART;
        for (const int signal : {SIGTERM, SIGINT})
            sigaction(signal, &action, nullptr);
    }
    ~Hangup() {
        listener_ = -1;
        client_ = -1;
    }
    Hangup(const Hangup &) = delete;
    Hangup &operator=(const Hangup &) = delete;
    Hangup(Hangup &&) = delete;
    Hangup &operator=(Hangup &&) = delete;

    static bool asked() { return asked_; }
    // Set the socket that is being served; -1 for none.
    static void serving(int client) {
        client_ = client;
        if (asked_)
            shutdown(client, SHUT_RDWR);
    }

  private:
    static inline std::atomic<bool> asked_ = false;
    static inline std::atomic<int> listener_ = -1, client_ = -1;
};

// Blocks both signals while threads are created, because threads must not receive them.
class SignalsBlocked {
  public:
    SignalsBlocked() {
        sigset_t both;

        sigemptyset(&both);
        sigaddset(&both, SIGTERM);
        sigaddset(&both, SIGINT);
        pthread_sigmask(SIG_BLOCK, &both, &before_);
    }
    SignalsBlocked(const SignalsBlocked &) = delete;
    SignalsBlocked &operator=(const SignalsBlocked &) = delete;
    SignalsBlocked(SignalsBlocked &&) = delete;
    SignalsBlocked &operator=(SignalsBlocked &&) = delete;
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

} // namespace xiw::rnic

#endif

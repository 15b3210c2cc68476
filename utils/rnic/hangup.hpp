// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// SIGTERM and SIGINT shut down the sockets on which the process waits. This ends the wait, so the
// process can clean up and end.
#ifndef XIW_RNIC_HANGUP_HPP
#define XIW_RNIC_HANGUP_HPP

#include "bus/descriptor.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>

#include <pthread.h>
#include <sys/socket.h>

namespace xiw::rnic {

// A process has at most one object of this class. The members are static, because the signal
// handler uses them. The destructor forgets the sockets, because other files may get their
// descriptor numbers.
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
    // Set the socket of the client that is being served; -1 for none.
    static void serving(int client) {
        client_ = client;
        if (asked_)
            shutdown(client, SHUT_RDWR);
    }

  private:
    static inline std::atomic<bool> asked_ = false;
    static inline std::atomic<int> listener_ = -1, client_ = -1;
};

// Waits for the next client. Returns an empty descriptor after a signal.
inline Descriptor next_client(const Descriptor &listener) {
    while (!Hangup::asked()) {
        Descriptor client(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (client)
            return client;
        // If there is no descriptor or no memory, try again later. The client waits in the queue
        // of the listener.
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        else if (errno != EINTR && errno != ECONNABORTED && !Hangup::asked())
            throw std::system_error(errno, std::generic_category(), "accept");
    }
    return {};
}

// Blocks SIGTERM and SIGINT while threads are created, because these threads must not receive the
// signals.
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

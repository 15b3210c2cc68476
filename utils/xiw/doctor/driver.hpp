// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Questions of the doctor that only the driver can answer.
#ifndef XIW_DOCTOR_DRIVER_HPP
#define XIW_DOCTOR_DRIVER_HPP

#include "error.hpp"
#include "model/collect.hpp"
#include "nl/client.hpp"

#include <type_traits>

namespace xiw::doctor {

// Call `question` with a collector for the driver, and return the result of `question`. Return an
// empty result if the driver does not answer completely: other checks report the reason.
template <typename Question>
std::invoke_result_t<Question, Collector &> ask(Question question) {
    try {
        nl::Socket socket;
        nl::Client client(socket);
        Collector collector(client, nl::interface_name);
        return question(collector);
    } catch (const Error &) {
        return {};
    }
}

} // namespace xiw::doctor

#endif

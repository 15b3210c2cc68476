// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_RATES_HPP
#define XIW_MODEL_RATES_HPP

#include "model/model.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace xiw {

// How fast the counters of devices and connections grew between two reports with both,
// the second so many nanoseconds after the first. What was not in the first, or has
// begun to count anew, has no rates.
Activity activity(const Report &before, const Report &now, uint64_t interval);

// By what devices and connections are put in order, the largest first; numbers ascend.
enum class Order { rate, sent, received, number };
std::string order_word(Order order);
std::optional<Order> parse_order(std::string_view word);
std::string order_words(); // all of them, for messages
Order next(Order order);
void sort(Activity &activity, Order order);

} // namespace xiw

#endif

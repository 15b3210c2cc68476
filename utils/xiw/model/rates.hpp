// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_RATES_HPP
#define XIW_MODEL_RATES_HPP

#include "model/model.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace xiw {

// Calculate the rates of devices and connections from two reports and the nanoseconds between
// them. An object that is not in the first report, or whose counters were reset, has no rates.
Activity activity(const Report &before, const Report &now, uint64_t interval);

// Sort key of devices and connections: rates descending, numbers ascending.
enum class Order { rate, sent, received, number };
std::string order_word(Order order);
std::optional<Order> parse_order(std::string_view word);
std::string order_words(); // all words that parse_order() accepts, for error messages
Order next(Order order);
void sort(Activity &activity, Order order);

} // namespace xiw

#endif

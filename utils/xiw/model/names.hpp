// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Written by uapi/netlink/regen from xiw.yaml.
// clang-format off
#ifndef XIW_MODEL_NAMES_HPP
#define XIW_MODEL_NAMES_HPP

#include <string_view>

namespace xiw::names {

inline constexpr std::string_view kind[] = {
    "soft",
    "pci",
};
inline constexpr std::string_view device_state[] = {
    "down",
    "active",
    "failed",
    "removing",
};
inline constexpr std::string_view known[] = {
    "configured",
    "negotiated",
    "observed",
    "refused",
};
inline constexpr std::string_view capability[] = {
    "mpa_revision",
    "enhanced_setup",
    "crc",
    "markers_tx",
    "markers_rx",
    "peer_to_peer",
    "rtr",
    "ird",
    "ord",
    "mulpdu",
    "fetch_add",
    "cmp_swap",
    "atomic_mask",
    "atomic_scope",
    "immediate",
    "immediate_solicited",
    "send_with_immediate",
};
inline constexpr std::string_view rtr[] = {
    "write",
    "read",
    "send",
};
inline constexpr std::string_view encryption[] = {
    "esp",
    "wireguard",
    "macsec",
    "tls",
};
inline constexpr std::string_view tls[] = {
    "off",
    "accept",
    "require",
};
inline constexpr std::string_view tls_cipher[] = {
    "aes-gcm-128",
    "aes-gcm-256",
    "aes-ccm-128",
    "chacha20-poly1305",
    "sm4-gcm",
    "sm4-ccm",
    "aria-gcm-128",
    "aria-gcm-256",
};
inline constexpr std::string_view atomic_scope[] = {
    "none",
    "device",
    "global",
};
inline constexpr std::string_view role[] = {
    "listener",
    "initiator",
    "responder",
};
inline constexpr std::string_view mpa_state[] = {
    "closed",
    "tcp-up",
    "req-sent",
    "wait-req",
    "ulp-decide",
    "wait-rtr",
    "send-rtr",
    "full",
    "closing",
    "term",
};
inline constexpr std::string_view stream_state[] = {
    "idle",
    "named",
    "rtr",
    "rts",
    "left",
    "closing",
    "terminate",
    "error",
};
inline constexpr std::string_view origin[] = {
    "local",
    "remote",
};
inline constexpr std::string_view notice[] = {
    "terminate",
    "abort",
    "reject",
    "connect-error",
    "device-failed",
    "connect",
    "qp-state",
    "crc-error",
    "config",
    "lost",
    "listen-error",
};
inline constexpr std::string_view ring[] = {
    "send-queue",
    "receive-queue",
    "requests",
    "responses",
    "ord",
    "ird",
    "events",
    "admin",
};
inline constexpr std::string_view segment_flag[] = {
    "sent",
    "damaged",
};
inline constexpr std::string_view latency[] = {
    "send",
    "write",
    "read",
    "atomic",
    "local",
};
inline constexpr std::string_view inject[] = {
    "drop",
    "duplicate",
    "crc",
    "reset",
    "delay",
    "stall",
    "refuse-atomic",
};
inline constexpr std::string_view limits[] = {
    "",
    "qp",
    "cq",
    "mr",
    "srq",
    "pd",
    "mw",
    "wr",
    "cqe",
    "sge",
    "inline",
    "ird",
    "ord",
    "private_data",
};
inline constexpr std::string_view objects[] = {
    "",
    "qp",
    "cq",
    "mr",
    "srq",
    "pd",
    "mw",
    "connection",
    "listener",
    "parked",
};

} // namespace xiw::names

#endif

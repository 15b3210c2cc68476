# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Lines that must never appear in a kernel log.
# shellcheck shell=bash disable=SC2034

SPLAT='BUG:|Oops|WARNING:|KASAN|general protection|possible circular'
SPLAT+='|inconsistent lock|suspicious RCU|refcount_t|UBSAN|blocked for more than'
SPLAT+='|soft lockup|rcu.*stall|Call Trace|unregister_netdevice: waiting|NOHZ tick-stop'

# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The counter req_cqe_error counts work requests of the send queue that fail. It does not count work
# requests that are flushed afterwards.
# topology: one
# kernels: all
# timeout: 60
# shellcheck shell=bash

xt_up
xt_pair
xt_listen
xt_join
equal "failed sends before" 0 "$(counter a req_cqe_error)"
xt a post "ep=$EP_A" op=read buf=m off=4M len=64 rkey=0x12345678 more=1
xt a post "ep=$EP_A" op=read buf=m off=4M len=64
xt a wcall "ep=$EP_A" n=2
xt_is REM_ACCESS_ERR 1
xt_is WR_FLUSH_ERR 1
xt_ended
xt a recv "ep=$EP_A" buf=m len=64 n=2
xt a post "ep=$EP_A" op=write buf=m len=64 n=3
xt a wcall "ep=$EP_A" n=5
xt_is WR_FLUSH_ERR 5
equal "failed sends" 1 "$(counter a req_cqe_error)"
equal "failed receives" 0 "$(counter a resp_cqe_error)"
xt_part
xt b close ep=all
xt_clean a
xt_clean b

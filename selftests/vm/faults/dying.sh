# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The warning of the scheduler that the lab knows (splats()), if a thread was left on the CPU.
# topology: one
# kernels: all
# timeout: 30
# result: not ok dying\[one\]: kernel: WARNING: CPU: 2 PID: 32 at sched_cpu_dying
# shellcheck shell=bash

log() { echo "<4>$*" >/dev/kmsg; }

log "Dying CPU not properly vacated!"
log "WARNING: CPU: 2 PID: 32 at sched_cpu_dying+0xc/0xc3"
log "Call Trace:"
log "CPU2 enqueued tasks (2 total):"
log "	pid: 32, name: migration/2"
log "	pid: 99, name: planted"

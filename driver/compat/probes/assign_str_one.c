// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.10: __assign_str takes only the destination
#include <linux/string.h>
#include <trace/stages/stage6_event_callback.h>

#undef __get_str
#undef __get_dynamic_array_len
#define __get_str(x) buf
#define __get_dynamic_array_len(x) 8
#define __data_offsets (*off)
#ifndef EVENT_NULL_STR
#define EVENT_NULL_STR ""
#endif

struct data_offsets {
	const char *name_ptr_;
};

static void __maybe_unused probe(struct data_offsets *off, char *buf)
{
	__assign_str(name);
}

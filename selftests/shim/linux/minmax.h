/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_SHIM_MINMAX_H
#define XIW_SHIM_MINMAX_H

/* Both arguments must have the same type, as in Linux 6.1, because a silent conversion is a bug. */
#define XIW_SHIM_PICK(x, y, op) \
	__extension__({ \
		__typeof__(x) x_ = (x); \
		__typeof__(y) y_ = (y); \
		(void)(&x_ == &y_); \
		x_ op y_ ? x_ : y_; \
	})

/* C++ has functions with these names. Macros would break the headers of C++. */
#ifndef __cplusplus
#define min(x, y) XIW_SHIM_PICK(x, y, <)
#define max(x, y) XIW_SHIM_PICK(x, y, >)
#endif
#define min_t(type, x, y) XIW_SHIM_PICK((type)(x), (type)(y), <)
#define max_t(type, x, y) XIW_SHIM_PICK((type)(x), (type)(y), >)

#endif

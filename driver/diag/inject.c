// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The armed injections of a device. At each occasion, xiw_inject_passes() chooses the injection, if
 * any, that causes an error.
 */
#include "diag/inject.h"

void xiw_inject_init(struct xiw_injector *injector)
{
	spin_lock_init(&injector->lock);
}

int xiw_inject_arm(struct xiw_injector *injector, const struct xiw_injection *injection)
{
	unsigned long flags;
	int err = -ENOSPC;

	spin_lock_irqsave(&injector->lock, flags);
	if (injector->count < XIW_INJECTIONS) {
		injector->list[injector->count++] = *injection;
		WRITE_ONCE(injector->kinds, injector->kinds | BIT(injection->kind));
		err = 0;
	}
	spin_unlock_irqrestore(&injector->lock, flags);
	return err;
}

void xiw_inject_clear(struct xiw_injector *injector, u32 stream)
{
	unsigned int i, left = 0;
	unsigned long flags, kinds = 0;

	spin_lock_irqsave(&injector->lock, flags);
	for (i = 0; i < injector->count; i++) {
		if (!stream || injector->list[i].stream == stream)
			continue;
		kinds |= BIT(injector->list[i].kind);
		injector->list[left++] = injector->list[i];
	}
	injector->count = left;
	WRITE_ONCE(injector->kinds, kinds);
	spin_unlock_irqrestore(&injector->lock, flags);
}

unsigned int xiw_inject_list(struct xiw_injector *injector, struct xiw_injection *list)
{
	unsigned long flags;
	unsigned int count;

	spin_lock_irqsave(&injector->lock, flags);
	count = injector->count;
	memcpy(list, injector->list, count * sizeof(*list));
	spin_unlock_irqrestore(&injector->lock, flags);
	return count;
}

/* Count an occasion. Return: true if the injection is due. */
static bool due(struct xiw_injection *one)
{
	one->seen++;
	if (one->seen < one->at || (one->seen - one->at) % one->every)
		return false;
	return !one->count || one->hits < one->count;
}

bool xiw_inject_passes(struct xiw_injector *injector, u32 stream, enum xiw_nl_inject kind,
		       struct xiw_injection *struck)
{
	unsigned long flags;
	bool hit = false;
	unsigned int i;

	if (!(READ_ONCE(injector->kinds) & BIT(kind)))
		return false;
	spin_lock_irqsave(&injector->lock, flags);
	for (i = 0; i < injector->count; i++) {
		struct xiw_injection *one = &injector->list[i];

		if (one->kind != kind || (one->stream && one->stream != stream))
			continue;
		/* Count the occasion for each injection, even after one has caused the error. */
		if (due(one) && !hit) {
			one->hits++;
			*struck = *one;
			hit = true;
		}
	}
	spin_unlock_irqrestore(&injector->lock, flags);
	return hit;
}

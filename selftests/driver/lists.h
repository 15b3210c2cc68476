/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The kernel's lists. kernel.h includes this file. */
#ifndef XIW_TEST_LISTS_H
#define XIW_TEST_LISTS_H

struct list_head {
	struct list_head *next, *prev;
};

#define list_empty(list) ((list)->next == (list))
#define list_empty_careful list_empty
#define list_entry(node, type, member) container_of(node, type, member)
#define list_first_entry(list, type, member) list_entry((list)->next, type, member)
#define list_first_entry_or_null(list, type, member) \
	(list_empty(list) ? NULL : list_entry((list)->next, type, member))
#define list_for_each(node, list)                                                  \
	for ((node) = (list)->next; (node) != (list); (node) = (node)->next)
#define list_for_each_entry(p, list, member)                                      \
	for ((p) = list_entry((list)->next, __typeof__(*(p)), member); &(p)->member != (list); \
	     (p) = list_entry((p)->member.next, __typeof__(*(p)), member))
/* The body of list_for_each_entry_safe() may remove @p from the list. */
#define list_for_each_entry_safe(p, n, list, member)                              \
	for ((p) = list_entry((list)->next, __typeof__(*(p)), member),             \
	    (n) = list_entry((p)->member.next, __typeof__(*(p)), member);          \
	     &(p)->member != (list);                                               \
	     (p) = (n), (n) = list_entry((n)->member.next, __typeof__(*(n)), member))

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline void list_add_tail(struct list_head *node, struct list_head *list)
{
	node->next = list;
	node->prev = list->prev;
	list->prev->next = node;
	list->prev = node;
}

static inline void list_del_init(struct list_head *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	INIT_LIST_HEAD(node);
}

static inline void list_move_tail(struct list_head *node, struct list_head *list)
{
	list_del_init(node);
	list_add_tail(node, list);
}

struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	struct llist_node *first;
};

#define init_llist_head(list) ((void)((list)->first = NULL))
#define llist_empty(list) (!(list)->first)
#define llist_entry(node, type, member) container_of(node, type, member)

static inline void llist_add(struct llist_node *node, struct llist_head *list)
{
	node->next = list->first;
	list->first = node;
}

static inline struct llist_node *llist_del_all(struct llist_head *list)
{
	struct llist_node *first = list->first;

	list->first = NULL;
	return first;
}

static inline struct llist_node *llist_reverse_order(struct llist_node *node)
{
	struct llist_node *next, *to = NULL;

	for (; node; node = next) {
		next = node->next;
		node->next = to;
		to = node;
	}
	return to;
}

#endif

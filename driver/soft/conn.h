/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A connection of the software RNIC. A connection sets up TCP, negotiates MPA, passes the socket to
 * the stream, and closes TCP after the stream has returned the socket.
 *
 * Ownership
 *   A conn is a struct xiw_soft_conn. It belongs to its work item, which never runs concurrently
 *   with itself. Only the work item changes the state, the socket and the buffer. All other
 *   contexts set a bit in inbox, or leave a command or an accepted socket for the work item, and
 *   then queue (kick) the work item. These contexts are socket callbacks, the end of a TLS
 *   handshake, the stream, the listener, the dispatcher of commands, and xiw_soft_conns_stop(). A
 *   kick takes a reference, so other contexts may also kick a conn that is ending.
 *
 * References
 *   slot     the entry in soft->conns; dropped by CONN_FREE, UNLISTEN or xiw_soft_conns_stop()
 *   life     from creation until TCP is closed; used by the socket callbacks and the stream.
 *            Before life is dropped, the callbacks are removed under sk_callback_lock, and the
 *            stream has made its last call, xiw_soft_conn_release()
 *   kick     one for each queued run of the work item
 *   The last put frees the memory, in any context.
 *
 * Socket
 *   Until XIW_CONN_OPEN, the conn owns the socket, and sets its own callbacks. But in
 *   XIW_CONN_HANDSHAKE, the socket has its original callbacks, because the TLS agent uses the
 *   socket (tls.h). From XIW_CONN_OPEN on, the stream sets its own callbacks, and the conn only
 *   sends the FIN. xiw_soft_conn_release() returns the socket to the conn. Only the work item
 *   releases the socket, in process context.
 *
 * Buffer (struct xiw_conn_buf, memory of the driver)
 *   The RNIC accesses the buffer from the command that passes it until the event that returns it.
 *   Afterwards, buf is NULL. Exception: XIW_CONN_REQUEST returns the buffer only until ACCEPT or
 *   REJECT. Meanwhile, buf stays set, but the RNIC does not access the buffer.
 */
#ifndef XIW_SOFT_CONN_H
#define XIW_SOFT_CONN_H

#include <linux/completion.h>
#include <linux/inet.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>

#include "core/setup.h"
#include "soft/command.h"
#include "soft/socket.h"
#include "soft/stream.h"

enum xiw_soft_conn_time {			/* milliseconds */
	XIW_CONN_STARTUP_MS = 10000,	/* limit of connection setup, if the driver sets none */
	XIW_CONN_LINGER_MS = 5000,
	XIW_CONN_DECIDE_MS = 120000,	/* limit for the ULP to accept or reject a Request */
	XIW_CONN_RETRY_MS = 20,		/* delay before the work item retries a step */
	XIW_CONN_ENCRYPTION_MS = 1000,	/* interval between checks of the encryption */
};

/*
 * Maximum number of conns of a device that have no slot and still close TCP. The number of slots
 * does not limit these conns, and each of them waits until its peer sends a FIN.
 */
#define XIW_CONN_CLOSING_MAX 4096U

enum xiw_soft_conn_state {
	XIW_CONN_POSTED,	/* passive: waits for a TCP connection */
	XIW_CONN_WAIT_REQUEST,
	XIW_CONN_DECIDE,	/* the driver has the Request; sock is NULL after an error */
	XIW_CONN_SEND_REPLY,
	XIW_CONN_START,		/* active: the setup has not begun */
	XIW_CONN_CONNECTING,
	XIW_CONN_HANDSHAKE,	/* active or passive: the TLS agent has the socket */
	XIW_CONN_SEND_REQUEST,
	XIW_CONN_WAIT_REPLY,
	XIW_CONN_OPEN,		/* the stream has the socket */
	XIW_CONN_SEND_LAST,	/* sends a rejecting Reply or a Terminate, then closes */
	XIW_CONN_CLOSING,	/* sends a FIN, then waits for the peer's FIN */
	XIW_CONN_CLOSED,
	XIW_CONN_STATES,
};

enum xiw_soft_conn_note {			/* bits of inbox */
	XIW_NOTE_STOP,			/* the device stops */
	XIW_NOTE_DROP,			/* the listener ends; set only before the Request */
	/* This conn is the oldest of too many conns that have no slot and still close TCP. */
	XIW_NOTE_CROWDED,
	/* The peer has sent no Request, and other connections wait. Set only before the Request. */
	XIW_NOTE_SILENT,
	XIW_NOTE_TLS,			/* the TLS handshake has ended */
	XIW_NOTE_UNWANTED,		/* this note and the notes below come from the stream */
	XIW_NOTE_LINGER,
	XIW_NOTE_FIN,
	XIW_NOTE_RELEASE,
	XIW_NOTE_RESET,			/* together with XIW_NOTE_RELEASE */
};

struct xiw_soft_conn {
	struct xiw_soft *soft;
	u32 slot;
	refcount_t refs;
	unsigned long inbox;		/* bits: enum xiw_soft_conn_note; atomic */
	struct delayed_work work;
	struct list_head node;		/* under cm->lock */
	struct list_head commands;	/* under cm->lock */
	struct list_head closing;	/* in cm->closing; under cm->lock */

	struct xiw_soft_listener *listener;	/* set at creation; referenced */
	struct list_head member;	/* in listener->conns; under listener->lock */
	bool posted;			/* waits for a TCP connection; under listener->lock */
	struct socket *accepted;	/* under listener->lock */
	unsigned long established_at;	/* jiffies; valid if not posted; under listener->lock */

	/*
	 * After the start of the conn, only the work item accesses the members below. Exceptions:
	 * another context stores the outcome of the TLS handshake in tls_status and tls_done, a
	 * vector accesses notice while notice is queued, and the socket callbacks access arrivals.
	 */
	enum xiw_soft_conn_state state;
	bool slotted;			/* the conn is in soft->conns */
	bool limited;			/* the conn has been in cm->closing */
	bool bounded, retry, fin_sent, aborted, opened;
	bool encrypted;			/* a layer below TCP must encrypt the connection */
	bool owned;			/* the socket has the callbacks of the conn */
	bool shaking;			/* a TLS handshake is in progress */
	bool tls;			/* TLS encrypts the connection */
	int tls_status;			/* outcome of the handshake; set before tls_done */
	struct completion tls_done;
	struct file *tls_file;		/* file of a cancelled handshake */
	unsigned long tls_left;		/* time of the cancellation, in jiffies */
	char tls_peer[INET6_ADDRSTRLEN];	/* address that the peer's certificate must name */
	unsigned long deadline;		/* jiffies, if there is a time limit */
	enum xiw_status lost;		/* reason why the setup cannot continue */
	struct socket *sock;
	struct xiw_soft_socket_calls calls;
	struct xiw_soft_arrivals arrivals;	/* of xiw_soft_conn_read() */
	struct xiw_conn_buf *buf;
	struct xiw_conn_params params;	/* requested by the driver; later as agreed with the peer */
	struct xiw_setup *setup;	/* NULL in XIW_CONN_POSTED and after the negotiation */
	struct xiw_soft_stream *stream;	/* referenced */
	u32 stream_index;
	struct xiw_soft_notice notice;
};

/* conn.c */
struct xiw_soft_conn *xiw_soft_conn_create(struct xiw_soft *soft, u32 slot,
					   struct xiw_conn_buf *buf,
					   enum xiw_soft_conn_state state, gfp_t gfp);
/* Allocate the setup state. Return: false if there is no memory. */
bool xiw_soft_conn_prepare(struct xiw_soft_conn *conn, gfp_t gfp);
void xiw_soft_conn_discard(struct xiw_soft_conn *conn);
void xiw_soft_conn_put(struct xiw_soft_conn *conn);
void xiw_soft_conn_note(struct xiw_soft_conn *conn, enum xiw_soft_conn_note note);
void xiw_soft_conn_kick(struct xiw_soft_conn *conn);
void xiw_soft_conn_bound(struct xiw_soft_conn *conn, u32 ms, u32 otherwise);
bool xiw_soft_conn_expired(const struct xiw_soft_conn *conn);
/**
 * xiw_soft_conn_adopt - pass a socket to a conn
 * @conn: conn without a socket
 * @sock: socket, which the function releases on an error
 * @calls: original callbacks of the socket; NULL if the socket still has them
 *
 * A BPF program of the host may have added the socket to a map before this call. In this case the
 * map owns the callbacks and sk_user_data, and the call fails. After this call, no map accepts the
 * socket.
 *
 * Context: process.
 *
 * Return: 0, or -EBUSY if the socket has another owner.
 */
int xiw_soft_conn_adopt(struct xiw_soft_conn *conn, struct socket *sock,
			const struct xiw_soft_socket_calls *calls);
/* Restore the original callbacks of the socket. The conn keeps the socket. Process context. */
void xiw_soft_conn_disown(struct xiw_soft_conn *conn);
/* Read octets of the conn's socket, as xiw_soft_socket_read() does, also with TLS. */
int xiw_soft_conn_read(struct xiw_soft_conn *conn, void *buf, u32 len);
void xiw_soft_conn_drop_socket(struct xiw_soft_conn *conn, bool reset);
void xiw_soft_conn_close(struct xiw_soft_conn *conn, bool reset);
/* Count the outcome of a connection setup if it is a protocol error or a timeout. */
void xiw_soft_conn_count(struct xiw_soft_conn *conn, enum xiw_status outcome);
void xiw_soft_conn_report(struct xiw_soft_conn *conn, enum xiw_conn_event what,
			  enum xiw_status status);
/*
 * If the driver requires encryption, check that TLS or a layer below TCP encrypts the connection.
 * Without TLS, the work item then repeats the check once per second. Return: 0; -ENOKEY if the
 * connection is not encrypted; or -ENOMEM.
 */
int xiw_soft_conn_require(struct xiw_soft_conn *conn);
/* Get the layers that now encrypt in both directions. Return: bits of enum xiw_conn_flag. */
u32 xiw_soft_conn_layers(const struct xiw_soft_conn *conn);
/* Return: true if segments leave in the clear, although a layer below TCP must encrypt them. */
bool xiw_soft_conn_exposed(const struct xiw_soft_conn *conn);
int xiw_soft_conn_opened(struct xiw_soft_conn *conn, enum xiw_conn_event what);

/*
 * startup.c: each function that returns a state is a step of the work item, and returns the next
 * state
 */
enum xiw_soft_conn_state xiw_soft_conn_start(struct xiw_soft_conn *conn);
enum xiw_soft_conn_state xiw_soft_conn_connecting(struct xiw_soft_conn *conn);
enum xiw_soft_conn_state xiw_soft_conn_handshake(struct xiw_soft_conn *conn);
enum xiw_soft_conn_state xiw_soft_conn_send(struct xiw_soft_conn *conn);
enum xiw_soft_conn_state xiw_soft_conn_wait_reply(struct xiw_soft_conn *conn);
enum xiw_soft_conn_state xiw_soft_conn_posted(struct xiw_soft_conn *conn);
enum xiw_soft_conn_state xiw_soft_conn_wait_request(struct xiw_soft_conn *conn);
enum xiw_soft_conn_state xiw_soft_conn_decide(struct xiw_soft_conn *conn);
enum xiw_status xiw_soft_conn_accept(struct xiw_soft_conn *conn, u32 stream);
enum xiw_status xiw_soft_conn_reject(struct xiw_soft_conn *conn);

#endif

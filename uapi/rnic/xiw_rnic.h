/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * The RNIC interface, between RDMAP (the driver) and an RNIC (DDP, MPA, TCP). This file contains
 * the layout and no code. docs/rnic.md and docs/rnic describe the interface in prose.
 *
 * All fields are little endian, except ports and octets in wire format, which are big endian. A
 * "bus address" is a 64-bit value by which the RNIC accesses memory. It is a DMA address for a PCIe
 * RNIC, and a kernel virtual address for the software RNIC. The interface has no other kind of
 * pointer.
 *
 * Memory order: the producer of a ring first writes the entry. Then it writes, with release
 * semantics, the index or phase bit that publishes the entry. The consumer reads the index or phase
 * bit with acquire semantics, and then the entry. The doorbell XIW_DB_ADMIN itself publishes
 * commands. A doorbell may arrive late. The driver writes a TX or RX index to memory before it
 * rings the doorbell with this index.
 *
 * Each word has one writer, the driver or the RNIC. Exception: the current owner of an STag entry,
 * or of a connection buffer, writes it. A context word that the RNIC writes may be ahead of the
 * events that the driver has handled. So the RNIC writes to a context only values that are harmless
 * if they are read early, such as indexes and statistics. Events carry all other values.
 */
#ifndef XIW_RNIC_H
#define XIW_RNIC_H

#include <linux/types.h>

#define XIW_RNIC_ABI 6

/* ------------------------------------------------------------ capabilities */

enum xiw_rnic_cap {
	XIW_CAP_ATOMIC = 1 << 0,	/* executes XIW_TX_ATOMIC */
	XIW_CAP_ATOMIC_GLOB = 1 << 1,	/* XIW_TX_ATOMIC is atomic with respect to host CPUs */
	XIW_CAP_MARKERS = 1 << 2,	/* MPA markers in both directions */
	XIW_CAP_SHARED_RX = 1 << 3,	/* shared receive rings */
	XIW_CAP_WINDOW = 1 << 4,	/* memory windows */
	XIW_CAP_IPV6 = 1 << 5,
	XIW_CAP_CRC_OFF = 1 << 6,	/* supports connections without CRC */
	XIW_CAP_ENCRYPTION = 1 << 7,	/* reports layers that encrypt, can require encryption */
};

/*
 * The driver reads the capabilities once at start. A count or a size may be equal to its limit. The
 * index of a stream or of another object is less than the limit of these objects.
 */
struct xiw_rnic_caps {
	__le32 abi;		/* XIW_RNIC_ABI */
	__le32 caps;		/* enum xiw_rnic_cap */
	__le32 max_streams;
	__le32 max_conns;	/* connection slots */
	__le32 max_listeners;
	__le32 max_shared_rx;
	__le32 max_stags;	/* multiple of XIW_STAG_CHUNK */
	__le16 max_vectors;
	__le16 max_ird;		/* max inbound Reads plus Atomics of a stream */
	__le16 max_ord;
	__u8 max_gather;	/* max SGEs in a TX or RX descriptor */
	__u8 rsvd0;
	__le32 max_message;	/* max octets of one DDP message */
	__le16 max_inline;	/* max payload octets in a TX descriptor */
	__le16 rsvd1;
	__u8 rsvd2[20];
};

/* ---------------------------------------------------------------- doorbells */

/*
 * A doorbell is one 64-bit write: kind in bits 63-56, index in bits 55-32, value in bits 31-0.
 */
enum xiw_doorbell {
	XIW_DB_ADMIN = 1,	/* value: producer index of the admin ring */
	XIW_DB_EVENT = 2,	/* index: vector; value: consumer index */
	XIW_DB_EVENT_ARM = 3,	/* as XIW_DB_EVENT; interrupt as soon as there is an unread event */
	XIW_DB_TX_REQUEST = 4,	/* index: stream; value: producer index */
	XIW_DB_TX_RESPONSE = 5,
	XIW_DB_RX = 6,		/* index: stream; value: producer index; only if rx_starved */
	XIW_DB_SHARED_RX = 7,	/* index: shared ring; otherwise as XIW_DB_RX */
	XIW_DB_STREAM = 8,	/* index: stream; value: enum xiw_stream_order */
};

#define XIW_DB_KIND_SHIFT 56
#define XIW_DB_INDEX_SHIFT 32

/*
 * Orders of the driver to a stream. After an order that ends the stream, only a stronger one may
 * follow. ABORT is stronger than TERMINATE, and TERMINATE is stronger than CLOSE.
 */
enum xiw_stream_order {
	/*
	 * Finish queued TX and send a FIN. Report STOPPED when the peer's FIN has arrived, or LOST
	 * after linger_ms.
	 */
	XIW_ORDER_CLOSE = 1,
	/*
	 * Report STOPPED at once. Send the rest of an FPDU that is partly in TCP, the Terminate of
	 * the stream context, and a FIN. Drop all other queued data. Drop inbound data until the
	 * peer's FIN, and then close TCP.
	 */
	XIW_ORDER_TERMINATE = 2,
	/* Drop all queued data and reset TCP. */
	XIW_ORDER_ABORT = 3,
	/* Begin to receive. The driver answers a successful XIW_CONN_REPLY with this order. */
	XIW_ORDER_RECEIVE = 4,
};

/* --------------------------------------------------------------- event ring */

enum xiw_event_type {
	XIW_EV_NONE = 0,
	XIW_EV_ADMIN = 1,	/* struct xiw_ev_admin; vector 0 only */
	XIW_EV_CONN = 2,	/* struct xiw_ev_conn; vector 0 only */
	XIW_EV_DEVICE = 3,	/* status: enum xiw_device_state; vector 0 only */
	XIW_EV_TX_DONE = 4,	/* struct xiw_ev_tx */
	XIW_EV_TX_ERROR = 5,	/* struct xiw_ev_tx; TX of the stream has stopped */
	XIW_EV_MESSAGE = 6,	/* struct xiw_ev_message: an untagged message is delivered */
	XIW_EV_SOLICITED = 7,	/* struct xiw_ev_solicited: a Read Response is complete */
	XIW_EV_ERROR = 8,	/* struct xiw_ev_error: a fault in a segment has stopped RX */
	XIW_EV_STATE = 9,	/* struct xiw_ev_state: the stream has new state bits */
};

#define XIW_EVENT_PHASE 0x01	/* xiw_event.flags: 1 in the first pass, toggles at each pass */

/* Outcome of a descriptor, an admin command or a connection. */
enum xiw_status {
	XIW_OK = 0,
	XIW_ERR_INVALID = 1,	/* malformed descriptor or command */
	XIW_ERR_STAG = 2,	/* STag is unknown or not in the right state */
	XIW_ERR_ACCESS = 3,	/* an access right is missing */
	XIW_ERR_BOUNDS = 4,
	XIW_ERR_LENGTH = 5,
	XIW_ERR_NOMEM = 6,
	XIW_ERR_BUSY = 7,
	XIW_ERR_ADDRESS = 8,	/* the address is not available or not local */
	XIW_ERR_ADDRESS_IN_USE = 9,
	XIW_ERR_REFUSED = 10,	/* the peer refused the TCP connection */
	XIW_ERR_REJECTED = 11,	/* the MPA Reply has the R flag */
	XIW_ERR_TIMEOUT = 12,
	XIW_ERR_RESET = 13,	/* the peer reset or closed TCP */
	XIW_ERR_PROTOCOL = 14,	/* invalid MPA frame, or no agreement on the parameters */
	XIW_ERR_UNREACHABLE = 15,
	/* the stream has ended or is in use; or the device or namespace is being removed */
	XIW_ERR_GONE = 16,
	XIW_ERR_UNSUPPORTED = 17,
	XIW_ERR_WRAP = 18,	/* TO plus length is 2^64 or more */
	XIW_ERR_PD = 19,	/* STag belongs to another protection domain or stream */
	XIW_ERR_UNENCRYPTED = 20,	/* encryption is required, and no layer encrypts */
};

enum xiw_device_state {
	XIW_DEV_LINK_DOWN = 0,
	XIW_DEV_LINK_UP = 1,
	XIW_DEV_FAILED = 2,
};

struct xiw_ev_admin {
	__le32 tag;		/* tag of the command */
	__le32 result;
};

struct xiw_ev_conn {
	__le32 conn;		/* connection slot; the driver owns its xiw_conn_buf again */
	__le32 listener;
	__le32 stream;
	__u8 what;		/* enum xiw_conn_event */
	__u8 rsvd[3];
};

enum xiw_conn_event {
	XIW_CONN_REQUEST = 1,	/* passive: an MPA Request waits for ACCEPT or REJECT */
	/*
	 * active: status is the outcome. If it is XIW_OK, the stream is open, and RX waits for
	 * XIW_ORDER_RECEIVE.
	 */
	XIW_CONN_REPLY = 2,
	XIW_CONN_ACCEPTED = 3,	/* passive: TCP has the Reply, and the stream is open */
	XIW_CONN_FAILED = 4,	/* passive: after ACCEPT; status: why the stream does not open */
};

struct xiw_ev_tx {
	/* TX_DONE: units before this index are done. TX_ERROR: index of the failed descriptor. */
	__le32 index;
	__le32 done;		/* TX_ERROR: octets of the failed message that TCP already has */
};

/*
 * XIW_EV_MESSAGE: an untagged message. The header fields are those of the last segment of the
 * message. Messages of queues 1, 2 and 3, and Immediates, are in @data.
 * xiw_event.status is XIW_OK or, for a queue-3 message (Atomic Response), the reason why its
 * original value was not written to the sink.
 */
struct xiw_ev_message {
	__le32 cookie;		/* queue 0: cookie of the receive; queue 3: cookie of the request */
	__le32 length;		/* octets of the message */
	__le32 msn;
	__le32 rsvdulp;		/* RsvdULP octets 1 to 4 as an integer (Invalidate STag) */
	__le32 write_length;	/* octets of a Write that directly precedes this message */
	__u8 queue;
	__u8 ddp_ctrl;		/* DDP control octet of the last segment */
	__u8 rdmap_ctrl;
	__u8 inline_length;
	__le16 ulpdu_length;	/* ULPDU length of the last segment */
	__u8 rsvd[6];
	__u8 data[52];
};

struct xiw_ev_solicited {
	__le32 cookie;
	__le32 length;
	__u8 status;		/* XIW_OK, or why the STag of the sink was not invalidated */
	__u8 rsvd[3];
};

/*
 * XIW_EV_ERROR: a fault in an inbound segment. The fields are the layer, type and code of the
 * Terminate for the fault, and the header of the segment. If @silent is set, the driver ends the
 * stream without a Terminate.
 */
struct xiw_ev_error {
	__u8 layer;
	__u8 etype;
	__u8 code;
	__u8 silent;
	__u8 header_length;	/* octets in header[]: 0, 14, 18 or 46 (Read Request) */
	__u8 rsvd;
	__le16 ulpdu_length;
	__u8 header[52];	/* header that begins with the DDP control octet */
};

/*
 * XIW_EV_STATE: state of the stream after all earlier events of the stream. The driver uses no
 * other source for the state of a stream.
 */
struct xiw_ev_state {
	__le32 bits;		/* enum xiw_stream_state, all bits set so far */
	__le32 rx_taken;	/* with STOPPED: cookie of a receive taken but not delivered */
};

struct xiw_event {
	__u8 type;		/* enum xiw_event_type */
	__u8 flags;		/* XIW_EVENT_PHASE; written last (release) */
	__u8 status;		/* enum xiw_status */
	__u8 queue;		/* TX events: enum xiw_tx_queue */
	__le32 stream;
	__le64 rsvd;
	union {
		struct xiw_ev_admin admin;
		struct xiw_ev_conn conn;
		struct xiw_ev_tx tx;
		struct xiw_ev_message message;
		struct xiw_ev_solicited solicited;
		struct xiw_ev_error error;
		struct xiw_ev_state state;
		__u8 raw[112];
	};
};

#define XIW_EVENT_SIZE 128

/* ----------------------------------------------------------- stream context */

enum xiw_tx_queue {
	XIW_TXQ_REQUEST = 0,
	XIW_TXQ_RESPONSE = 1,
	XIW_TXQ_COUNT = 2,
};

/*
 * The RNIC sets these bits. A bit stays set until the stream is created again.
 */
enum xiw_stream_state {
	XIW_ST_OPEN = 1 << 0,		/* a connection has opened the stream */
	/* passive: the first FPDU is valid and is not a Terminate; TX may begin */
	XIW_ST_FIRST_FPDU = 1 << 1,
	XIW_ST_PEER_CLOSED = 1 << 2,	/* FIN of the peer after a complete FPDU */
	XIW_ST_LOST = 1 << 3,		/* reset, timeout, or FIN inside an FPDU */
	XIW_ST_TERM_SENT = 1 << 4,	/* TCP has the Terminate */
	XIW_ST_STOPPED = 1 << 5,	/* the RNIC no longer accesses rings, buffers and STags */
	XIW_ST_CLOSED = 1 << 6,		/* TCP is closed */
	XIW_ST_RTR_TIMEOUT = 1 << 7,	/* passive side: the first FPDU did not arrive in time */
	XIW_ST_UNENCRYPTED = 1 << 8,	/* required encryption has ended: LOST follows */
};

#define XIW_TERM_SIZE 52	/* octets of the longest Terminate message */
#define XIW_RX_NONE 0xffffffffU

struct xiw_stream_ctx {
	/* written by the driver */
	__le32 tx_tail[XIW_TXQ_COUNT];	/* producer indexes, in XIW_TX_UNIT, free-running */
	__le32 rx_tail;			/* producer index of the RX ring, in slots */
	__le32 term_length;
	__u8 rsvd0[48];
	/* written by the RNIC */
	__le32 tx_head[XIW_TXQ_COUNT];	/* consumer indexes, in XIW_TX_UNIT */
	__le32 rx_head;			/* consumer index of the RX ring, in slots */
	__le32 rx_starved;		/* if not 0: ring XIW_DB_RX after the next post */
	__le64 rx_writes;		/* number of complete Writes received */
	__le32 parked;			/* number of times that RX waited for a receive */
	__le32 mulpdu;			/* current MULPDU in octets */
	__le64 rx_octets;		/* octets of payload received */
	__le64 tx_octets;		/* octets of payload sent */
	__le32 rx_waiting;		/* not 0 while RX waits for a receive */
	__u8 rsvd1[4];
	__le64 rx_write_octets;		/* octets of payload of Writes, complete or not */
	/* written by the driver */
	__u8 term[64];			/* Terminate message of term_length octets */
};

/* ------------------------------------------------------------------ TX ring */

#define XIW_TX_UNIT 64
#define XIW_TX_MAX_UNITS 8

enum xiw_tx_op {
	XIW_TX_NOP = 0,		/* skipped; also used to fill the end of the ring */
	XIW_TX_UNTAGGED = 1,	/* untagged DDP message */
	XIW_TX_TAGGED = 2,	/* tagged DDP message */
	XIW_TX_ATOMIC = 3,	/* struct xiw_tx_atomic: memory operation and its response */
	XIW_TX_STAG_SET = 4,	/* fast register or bind; struct xiw_stag_entry follows */
	XIW_TX_STAG_INVALIDATE = 5,	/* invalidates the STag xiw_tx_desc.stag */
};

enum xiw_tx_flag {
	XIW_TXF_INLINE = 1 << 0,	/* the payload is in the descriptor; no gather list */
	XIW_TXF_CHAIN = 1 << 1,		/* the next descriptor of this ring follows directly */
	XIW_TXF_SOLICIT_TAGGED = 1 << 2,	/* a Read Response to the sink is expected */
	XIW_TXF_SOLICIT_QUEUE3 = 1 << 3,	/* a queue-3 message to the sink is expected */
	XIW_TXF_REMOTE_READ = 1 << 4,	/* check the gather list for remote read access */
	XIW_TXF_RTR = 1 << 5,		/* the ready-to-receive FPDU of RFC 6581 */
	XIW_TXF_QUIET = 1 << 6,		/* no XIW_EV_TX_DONE is needed for this descriptor */
};

/* A piece of memory. If @stag is 0, @addr is a bus address; otherwise @addr is a TO of the STag. */
struct xiw_sge {
	__le64 addr;
	__le32 length;
	__le32 stag;
};

/*
 * The memory for the data of a response. If @stag is 0, @to is a bus address. For a queue-3
 * message, @length is 8: the RNIC writes the last eight octets of the message as an integer in host
 * byte order.
 */
struct xiw_tx_sink {
	__le64 to;
	__le32 stag;
	__le32 length;
};

#define XIW_SINK_INVALIDATE 0x01	/* bit of xiw_tx_desc.sink_flags */

/*
 * Head of a TX descriptor. In a descriptor of an untagged or tagged message, these parts follow the
 * head, in this order:
 *  struct xiw_tx_sink, if a SOLICIT_* flag is set
 *  header_length octets of RDMAP header, padded to a multiple of 16
 *  the gather list, or the inline payload
 * A descriptor never wraps around the end of the ring.
 */
struct xiw_tx_desc {
	__u8 op;		/* enum xiw_tx_op */
	__u8 units;		/* units of the descriptor, 1 to XIW_TX_MAX_UNITS */
	__u8 flags;		/* enum xiw_tx_flag */
	__u8 rdmap_ctrl;	/* RDMAP control octet */
	__u8 queue;		/* untagged, atomic: QN */
	__u8 sges;
	__u8 header_length;	/* octets of the RDMAP header, sent before the payload */
	__u8 sink_flags;
	__le32 length;		/* payload octets */
	__le32 stag;		/* untagged: RsvdULP; all other operations: STag */
	__le64 to;		/* tagged, atomic: TO */
	__le32 cookie;		/* SOLICIT_*: cookie of the response */
	__le32 rsvd;
};

enum xiw_atomic_op {
	XIW_ATOMIC_FETCH_ADD = 0,	/* values are AOpCodes, RFC 7306 §5.1 */
	XIW_ATOMIC_CMP_SWAP = 2,
};

#define XIW_TX_ANSWER_LEN 12

/*
 * The whole descriptor of XIW_TX_ATOMIC, two units long. The RNIC executes the operation, and then
 * sends an untagged message with the rdmap_ctrl and queue of the head. The message consists of
 * @answer and the original value in network order. header_length is the length of the message. The
 * operands are little-endian integers.
 */
struct xiw_tx_atomic {
	struct xiw_tx_desc head;	/* @stag and @to select the word in memory */
	__le32 aop;			/* enum xiw_atomic_op */
	__u8 answer[4];
	__le64 data;			/* add or swap data */
	__le64 mask;			/* add or swap mask */
	__le64 compare;
	__le64 compare_mask;
	__u8 rsvd[56];
};

/* ------------------------------------------------------------------ RX ring */

/*
 * An RX descriptor has 16 octets, followed by up to (slot size - 16) / 16 SGEs. All slots of a ring
 * have the same size.
 */
struct xiw_rx_desc {
	__le32 cookie;
	__le32 sges;
	__le32 length;		/* octets of all SGEs together */
	__le32 rsvd;
	struct xiw_sge sge[];
};

/*
 * Index words of a shared RX ring. The stream context contains the index words of a private ring.
 */
struct xiw_shared_rx_ctx {
	__le32 rx_tail;		/* written by the driver */
	__u8 rsvd0[60];
	__le32 rx_head;		/* written by the RNIC */
	__le32 rx_starved;	/* written by the RNIC */
	__u8 rsvd1[56];
};

/* --------------------------------------------------------------- STag table */

#define XIW_STAG_CHUNK 1024	/* entries in one memory chunk of the table */
#define XIW_STAG_LOCAL_DMA 0	/* this STag means bus addresses; local use only */

enum xiw_stag_state {
	XIW_STAG_FREE = 0,
	XIW_STAG_INVALID = 1,	/* allocated; the driver may change the entry */
	XIW_STAG_VALID = 2,	/* the RNIC owns the entry */
};

enum xiw_stag_access {
	XIW_ACCESS_LOCAL_READ = 1 << 0,
	XIW_ACCESS_LOCAL_WRITE = 1 << 1,
	XIW_ACCESS_REMOTE_READ = 1 << 2,
	XIW_ACCESS_REMOTE_WRITE = 1 << 3,
	XIW_ACCESS_REMOTE_ATOMIC = 1 << 4,
	XIW_ACCESS_BIND = 1 << 5,
};

enum xiw_stag_flag {
	XIW_STAGF_WINDOW = 1 << 0,	/* an MW, within the bounds and rights of the MR @parent */
	XIW_STAGF_STREAM = 1 << 1,	/* usable on one stream only (type 2 MW) */
	XIW_STAGF_REMOTE_INV = 1 << 2,	/* the peer may invalidate the STag */
	XIW_STAGF_LINEAR = 1 << 3,	/* @pages is the bus address of the first octet */
	XIW_STAGF_TWO_LEVEL = 1 << 4,	/* @pages refers to a list of lists, each of 512 pages */
};

struct xiw_stag_entry {
	__u8 state;		/* enum xiw_stag_state */
	__u8 key;		/* low octet of the STag */
	__u8 access;		/* enum xiw_stag_access */
	__u8 page_shift;	/* 12 to 62; log2 of the page size */
	__le32 pd;
	__le32 stream;		/* valid with XIW_STAGF_STREAM */
	__le32 flags;		/* enum xiw_stag_flag */
	__le64 base;		/* TO of the first octet */
	__le64 length;		/* octets; all ones means all bus addresses */
	__le64 pages;		/* bus address of a list of __le64 page addresses; see @flags */
	__le32 first;		/* offset of the first octet in the first page */
	__le32 page_count;
	__le32 parent;		/* MW: STag of its MR */
	__le32 generation;	/* MR: new when the STag becomes VALID; MW: copied from its MR */
	__le64 rsvd;
};

/* -------------------------------------------------------------- match table */

/*
 * A row for each of the 16 RDMAP opcodes, with the properties that an RNIC needs. The driver loads
 * the table once at start.
 */
enum xiw_match_class {
	XIW_MATCH_REFUSED = 0,		/* unexpected opcode */
	XIW_MATCH_WRITE = 1,		/* tagged, placed by STag */
	XIW_MATCH_SOLICITED = 2,	/* tagged, placed only into the oldest sink */
	XIW_MATCH_DELIVER = 3,		/* untagged, placed into a receive buffer */
	XIW_MATCH_DELIVER_INV = 4,	/* as DELIVER, then invalidate the STag in RsvdULP */
	XIW_MATCH_CONSUME = 5,		/* uses a receive; the data is in the event */
	/* uses no receive; on queue 1, uses an IRD credit; the data is in the event */
	XIW_MATCH_INLINE = 6,
};

struct xiw_match_row {
	__u8 kind;		/* enum xiw_match_class */
	__u8 queue;		/* untagged only */
	__u8 length_min;	/* CONSUME and INLINE: range of legal message lengths */
	__u8 length_max;
	__u8 silent;		/* send no Terminate for a fault in such a message */
	__u8 rsvd;
	__le16 needs;		/* enum xiw_conn_flag: refuse the opcode without these flags */
};

#define XIW_MATCH_ROWS 16

/* --------------------------------------------------------------- connections */

enum xiw_conn_flag {
	XIW_CONNF_CRC = 1 << 0,		/* requested, or agreed */
	XIW_CONNF_RX_MARKERS = 1 << 1,	/* this end receives markers */
	XIW_CONNF_TX_MARKERS = 1 << 2,	/* this end sends markers; only in agreed parameters */
	XIW_CONNF_P2P = 1 << 3,		/* RFC 6581 peer-to-peer (A flag) */
	XIW_CONNF_RTR_SEND = 1 << 4,
	XIW_CONNF_RTR_WRITE = 1 << 5,
	XIW_CONNF_RTR_READ = 1 << 6,
	XIW_CONNF_ENHANCED = 1 << 7,	/* IRD and ORD were exchanged; only in agreed parameters */
	XIW_CONNF_ATOMICS = 1 << 8,	/* serve Atomic Requests */
	XIW_CONNF_IMMEDIATE = 1 << 9,	/* accept Immediate Data */
	XIW_CONNF_V6ONLY = 1 << 10,
	XIW_CONNF_TOS = 1 << 11,	/* tos is valid */
	XIW_CONNF_INITIATOR = 1 << 12,	/* this end sent the Request; only in agreed parameters */
	XIW_CONNF_SEND_IMM = 1 << 13,	/* accept Send with Immediate */
	XIW_CONNF_ENCRYPT = 1 << 14,	/* fail unless a layer below MPA encrypts */
	/* layers that encrypt; only in XIW_CONN_REQUEST and in agreed parameters */
	XIW_CONNF_ESP = 1 << 15,
	XIW_CONNF_WIREGUARD = 1 << 16,
	XIW_CONNF_MACSEC = 1 << 17,
	XIW_CONNF_TLS = 1 << 18,
	XIW_CONNF_ENCRYPTED = XIW_CONNF_ESP | XIW_CONNF_WIREGUARD | XIW_CONNF_MACSEC |
			      XIW_CONNF_TLS,
};

struct xiw_addr {
	__u8 family;		/* 4 or 6 */
	__u8 rsvd;
	__be16 port;
	__le32 scope;		/* IPv6 link-local: interface index; 0: the RNIC's own port */
	__u8 addr[16];		/* IPv4 uses the first four octets */
};

/*
 * Parameters of a connection. The driver writes the requested values. When the stream opens, the
 * RNIC replaces @flags, @mpa_rev, @ird and @ord with the agreed values.
 */
struct xiw_conn_params {
	__le32 flags;		/* enum xiw_conn_flag */
	__u8 mpa_rev;		/* 1 or 2; 0: the listener's value or, without a listener, 2 */
	__u8 tos;
	__le16 ird;		/* 0x3fff or more: not negotiated */
	__le16 ord;
	__le16 mulpdu_max;	/* upper bound, at least 128; 0: only the path MTU limits it */
	__le32 startup_ms;	/* time limit of TCP setup plus MPA negotiation */
	__le32 rtr_ms;		/* passive side: time limit of the first FPDU */
	__le32 park_ms;		/* time limit of a wait for a receive; then Terminate 1/2/0x02 */
	__le32 linger_ms;	/* time limit of the close after a Terminate or CLOSE */
	__le32 peer_ms;		/* time limit for a silent peer of an open stream; 0: TCP's limit */
};

#define XIW_PRIVATE_DATA_MAX 512

/*
 * The buffer of a connection slot, in memory that the RNIC can access. The driver owns the buffer
 * until it passes the address in a command, or accepts or rejects the connection. The RNIC then
 * owns the buffer until it reports an XIW_EV_CONN for the slot. The answers to some commands also
 * return the buffer (docs/rnic/connections.md).
 */
struct xiw_conn_buf {
	struct xiw_addr local;
	struct xiw_addr remote;
	struct xiw_conn_params params;	/* requested, then agreed parameters */
	__le16 peer_ird;		/* IRD in the peer's frame */
	__le16 peer_ord;
	__u8 peer_flags;		/* flags octet of the peer's MPA frame */
	__u8 peer_rev;
	__le16 private_length;
	__le32 mulpdu;
	__le16 peer_offer;		/* enum xiw_conn_flag of the peer: ENHANCED, P2P, RTR_* */
	__le16 rsvd;
	__u8 private_data[XIW_PRIVATE_DATA_MAX];
};

/* --------------------------------------------------------------- admin ring */

enum xiw_admin_op {
	XIW_ADM_NOP = 0,
	XIW_ADM_MATCH_LOAD = 1,		/* addr: array of XIW_MATCH_ROWS struct xiw_match_row */
	XIW_ADM_EVENT_CREATE = 2,	/* index: vector; struct xiw_adm_ring */
	XIW_ADM_EVENT_DESTROY = 3,
	XIW_ADM_STAG_CHUNK = 4,		/* index: chunk; addr: its array of struct xiw_stag_entry */
	XIW_ADM_STAG_SET = 5,		/* index: STag; struct xiw_stag_entry */
	XIW_ADM_STAG_CLEAR = 6,		/* index: STag; answered when no access uses the entry */
	XIW_ADM_SHARED_RX_CREATE = 7,	/* index; struct xiw_adm_ring */
	XIW_ADM_SHARED_RX_DESTROY = 8,
	XIW_ADM_STREAM_CREATE = 9,	/* index; struct xiw_adm_stream */
	XIW_ADM_STREAM_DESTROY = 10,	/* stops at once; no access to memory after the answer */
	XIW_ADM_LISTEN = 11,		/* index: listener; addr: xiw_conn_buf; count: backlog */
	XIW_ADM_UNLISTEN = 12,		/* frees the posted slots that have had no event */
	XIW_ADM_CONN_POST = 13,		/* index: slot; other: listener; addr: xiw_conn_buf */
	XIW_ADM_CONNECT = 14,		/* index: slot; other: stream; addr: xiw_conn_buf */
	XIW_ADM_ACCEPT = 15,		/* index: slot; other: stream */
	XIW_ADM_REJECT = 16,		/* index: slot; the slot's buffer has the private data */
	XIW_ADM_CONN_FREE = 17,		/* index: slot; a connection without an outcome is reset */
	/* ADDR_*, STATS: for RNICs with a port of their own; other RNICs answer UNSUPPORTED */
	XIW_ADM_ADDR_ADD = 18,		/* struct xiw_adm_addr */
	XIW_ADM_ADDR_REMOVE = 19,	/* as ADDR_ADD; connections that use the address are lost */
	XIW_ADM_STATS = 20,		/* addr: struct xiw_stats_block; count: size in octets */
};

struct xiw_adm_ring {
	__le64 ring;		/* bus address */
	__le64 ctx;		/* shared RX: struct xiw_shared_rx_ctx */
	__u8 log2_entries;
	__u8 log2_slot;		/* RX: log2 of the octets of a slot */
	__u8 rsvd[2];
	__le32 pd;		/* shared RX: protection domain of the receives */
};

struct xiw_adm_stream {
	__le64 ctx;		/* struct xiw_stream_ctx */
	__le64 tx[XIW_TXQ_COUNT];
	__le64 rx;		/* private RX ring; 0 if the stream has none */
	__le32 pd;
	__le32 shared_rx;	/* index, or XIW_RX_NONE */
	__le16 vector;
	__u8 log2_units;	/* log2 of the units of each TX ring */
	__u8 log2_rx;		/* log2 of the slots of the RX ring */
	__u8 log2_slot;		/* log2 of the octets of an RX slot */
	__u8 rsvd[3];
};

/* An IP address of the RNIC. */
struct xiw_adm_addr {
	struct xiw_addr addr;	/* port and scope: 0 */
	__u8 prefix;		/* prefix length of the network on the link */
	__u8 rsvd[7];
};

struct xiw_admin_cmd {
	__u8 op;		/* enum xiw_admin_op */
	__u8 rsvd0[3];
	__le32 tag;		/* returned in XIW_EV_ADMIN */
	__le32 index;
	__le32 other;
	__le64 addr;
	__le32 count;
	__le32 rsvd1;
	union {
		struct xiw_adm_ring ring;
		struct xiw_adm_stream stream;
		struct xiw_stag_entry entry;
		struct xiw_adm_addr address;
		__u8 raw[96];
	};
};

#define XIW_ADMIN_SIZE 128

/* ---------------------------------------------------------------- statistics */

/*
 * Totals of an RNIC: X(field, kind, name, what the total counts). The order of the rows is the
 * order of the fields in struct xiw_stats_block. The driver reports a total under the name in its
 * row. The kind is NORMAL, ERROR (a number of failures) or COST (overhead). Append new totals at
 * the end.
 */
#define XIW_RNIC_STATS(X)						\
	X(tx_fpdus, NORMAL, "tx_pkts", "FPDUs sent")			\
	X(tx_octets, NORMAL, "tx_bytes", "octets handed to TCP, headers included")	\
	X(rx_fpdus, NORMAL, "rx_pkts", "complete FPDUs received, including invalid ones")	\
	X(rx_octets, NORMAL, "rx_bytes", "octets taken from TCP")	\
	X(tx_sends, NORMAL, "tx_batches", "sends to TCP, each of one or more FPDUs")	\
	X(crc_errors, ERROR, "rx_crc_errors", "bad CRC")		\
	X(framing_errors, ERROR, "rx_framing_errors", "bad FPDU lengths or markers")	\
	/* counts FPDUs with any error, also those of crc_errors and framing_errors */	\
	X(rx_dropped, ERROR, "rx_drops", "FPDUs dropped")		\
	X(rx_staged, NORMAL, "rx_staged", "FPDUs that arrived in pieces")	\
	X(rx_parked, NORMAL, "parks", "times a stream waited for a receive")	\
	X(event_stalls, NORMAL, "event_stalls", "times an event ring was full")	\
	X(startup_errors, ERROR, "mpa_errors", "bad MPA frames")	\
	X(startup_timeouts, ERROR, "mpa_timeouts", "setup timeouts")	\
	X(interrupts, COST, "interrupts", "interrupts of the RNIC")	\
	X(doorbells, COST, "doorbells", "doorbells of the driver")	\
	X(tls_handshakes, NORMAL, "tls_handshakes", "connections that TLS encrypts")	\
	X(tls_errors, ERROR, "tls_errors", "TLS handshakes that failed")

/* Free-running totals since the last reset. A later version may append totals. */
struct xiw_stats_block {
	__le64 tx_messages[XIW_MATCH_ROWS];	/* messages by RDMAP opcode */
	__le64 rx_messages[XIW_MATCH_ROWS];
#define XIW_STATS_FIELD(field, ...) __le64 field;
	XIW_RNIC_STATS(XIW_STATS_FIELD)
#undef XIW_STATS_FIELD
};

/* --------------------------------------------------------------- size checks */

#ifdef __cplusplus
#define XIW_ASSERT_SIZE(type, size) static_assert(sizeof(struct type) == (size), #type)
#else
#define XIW_ASSERT_SIZE(type, size) _Static_assert(sizeof(struct type) == (size), #type)
#endif

XIW_ASSERT_SIZE(xiw_rnic_caps, 64);
XIW_ASSERT_SIZE(xiw_event, XIW_EVENT_SIZE);
XIW_ASSERT_SIZE(xiw_ev_message, 84);
XIW_ASSERT_SIZE(xiw_ev_error, 60);
XIW_ASSERT_SIZE(xiw_ev_state, 8);
XIW_ASSERT_SIZE(xiw_stream_ctx, 192);
XIW_ASSERT_SIZE(xiw_sge, 16);
XIW_ASSERT_SIZE(xiw_tx_sink, 16);
XIW_ASSERT_SIZE(xiw_tx_desc, 32);
XIW_ASSERT_SIZE(xiw_tx_atomic, 2 * XIW_TX_UNIT);
XIW_ASSERT_SIZE(xiw_rx_desc, 16);
XIW_ASSERT_SIZE(xiw_shared_rx_ctx, 128);
XIW_ASSERT_SIZE(xiw_stag_entry, 64);
XIW_ASSERT_SIZE(xiw_match_row, 8);
XIW_ASSERT_SIZE(xiw_addr, 24);
XIW_ASSERT_SIZE(xiw_conn_params, 32);
XIW_ASSERT_SIZE(xiw_conn_buf, 608);
XIW_ASSERT_SIZE(xiw_adm_ring, 24);
XIW_ASSERT_SIZE(xiw_adm_stream, 48);
XIW_ASSERT_SIZE(xiw_adm_addr, 32);
XIW_ASSERT_SIZE(xiw_admin_cmd, XIW_ADMIN_SIZE);
XIW_ASSERT_SIZE(xiw_stats_block, 49 * 8);

#endif

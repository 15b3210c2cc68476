/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	uapi/netlink/xiw.yaml */

#ifndef _UAPI_LINUX_XIW_H
#define _UAPI_LINUX_XIW_H

#define XIW_FAMILY_NAME		"xiw"
#define XIW_FAMILY_VERSION	1

#define XIW_NL_ADDR_LEN		28
#define XIW_NL_TIME_MAX		30000
#define XIW_NL_PEER_TIME_MIN	1000
#define XIW_NL_PEER_TIME_MAX	3600000
#define XIW_NL_SNAP_MAX		64768
#define XIW_NL_CAPTURE_SIZE_MIN	131072
#define XIW_NL_CAPTURE_SIZE_MAX	67108864
#define XIW_NL_CAPTURE_ANSWER	65280

/**
 * enum xiw_nl_kind - Kinds of RNIC below the RNIC interface.
 * @XIW_NL_KIND_SOFT: software RNIC over kernel TCP
 * @XIW_NL_KIND_PCI: RNIC behind a PCI Express function
 */
enum xiw_nl_kind {
	XIW_NL_KIND_SOFT,
	XIW_NL_KIND_PCI,
};

/**
 * enum xiw_nl_device_state - Whether a device can carry traffic.
 * @XIW_NL_DEVICE_STATE_DOWN: the network interface is down or has no carrier
 * @XIW_NL_DEVICE_STATE_ACTIVE: ready for connections
 * @XIW_NL_DEVICE_STATE_FAILED: the RNIC has failed; the device must be removed
 *   and added again
 * @XIW_NL_DEVICE_STATE_REMOVING: unregistration has begun
 */
enum xiw_nl_device_state {
	XIW_NL_DEVICE_STATE_DOWN,
	XIW_NL_DEVICE_STATE_ACTIVE,
	XIW_NL_DEVICE_STATE_FAILED,
	XIW_NL_DEVICE_STATE_REMOVING,
};

/**
 * enum xiw_nl_known - Source of the agreed value of a capability.
 * @XIW_NL_KNOWN_CONFIGURED: set on this end, not negotiated with the peer
 * @XIW_NL_KNOWN_NEGOTIATED: both ends sent it in their MPA frames
 * @XIW_NL_KNOWN_OBSERVED: deduced from what the peer sent, or from what the
 *   path allows
 * @XIW_NL_KNOWN_REFUSED: the peer refused it, or terminated the stream when it
 *   was used
 */
enum xiw_nl_known {
	XIW_NL_KNOWN_CONFIGURED,
	XIW_NL_KNOWN_NEGOTIATED,
	XIW_NL_KNOWN_OBSERVED,
	XIW_NL_KNOWN_REFUSED,
};

/**
 * enum xiw_nl_capability - Capabilities in which two ends of a stream can
 *   differ.
 * @XIW_NL_CAPABILITY_MPA_REVISION: MPA revision, RFC 5044 (1) or RFC 6581 (2)
 * @XIW_NL_CAPABILITY_ENHANCED_SETUP: enhanced connection setup of RFC 6581, 0
 *   or 1
 * @XIW_NL_CAPABILITY_CRC: CRC32C over each FPDU, 0 or 1
 * @XIW_NL_CAPABILITY_MARKERS_TX: this end inserts MPA markers, 0 or 1
 * @XIW_NL_CAPABILITY_MARKERS_RX: the peer inserts MPA markers, 0 or 1
 * @XIW_NL_CAPABILITY_PEER_TO_PEER: the initiator sends an RTR message to the
 *   responder, 0 or 1
 * @XIW_NL_CAPABILITY_RTR: RTR forms, flags of enum xiw_nl_rtr
 * @XIW_NL_CAPABILITY_IRD: inbound Read and Atomic Requests that may be
 *   outstanding
 * @XIW_NL_CAPABILITY_ORD: outbound Read and Atomic Requests that may be
 *   outstanding
 * @XIW_NL_CAPABILITY_MULPDU: longest ULPDU in octets
 * @XIW_NL_CAPABILITY_FETCH_ADD: FetchAdd of RFC 7306, 0 or 1
 * @XIW_NL_CAPABILITY_CMP_SWAP: CmpSwap of RFC 7306, 0 or 1
 * @XIW_NL_CAPABILITY_ATOMIC_MASK: masked forms of both atomics, 0 or 1
 * @XIW_NL_CAPABILITY_ATOMIC_SCOPE: scope of remote atomics, a value of enum
 *   xiw_nl_atomic_scope
 * @XIW_NL_CAPABILITY_IMMEDIATE: Immediate Data of RFC 7306, 0 or 1
 * @XIW_NL_CAPABILITY_IMMEDIATE_SOLICITED: Immediate Data with Solicited Event,
 *   0 or 1
 * @XIW_NL_CAPABILITY_SEND_WITH_IMMEDIATE: Send with Immediate, an experiment,
 *   0 or 1
 */
enum xiw_nl_capability {
	XIW_NL_CAPABILITY_MPA_REVISION,
	XIW_NL_CAPABILITY_ENHANCED_SETUP,
	XIW_NL_CAPABILITY_CRC,
	XIW_NL_CAPABILITY_MARKERS_TX,
	XIW_NL_CAPABILITY_MARKERS_RX,
	XIW_NL_CAPABILITY_PEER_TO_PEER,
	XIW_NL_CAPABILITY_RTR,
	XIW_NL_CAPABILITY_IRD,
	XIW_NL_CAPABILITY_ORD,
	XIW_NL_CAPABILITY_MULPDU,
	XIW_NL_CAPABILITY_FETCH_ADD,
	XIW_NL_CAPABILITY_CMP_SWAP,
	XIW_NL_CAPABILITY_ATOMIC_MASK,
	XIW_NL_CAPABILITY_ATOMIC_SCOPE,
	XIW_NL_CAPABILITY_IMMEDIATE,
	XIW_NL_CAPABILITY_IMMEDIATE_SOLICITED,
	XIW_NL_CAPABILITY_SEND_WITH_IMMEDIATE,

	/* private: */
	__XIW_NL_CAPABILITY_MAX,
	XIW_NL_CAPABILITY_MAX = (__XIW_NL_CAPABILITY_MAX - 1)
};

/**
 * enum xiw_nl_rtr - Forms of the ready-to-receive message of RFC 6581, in
 *   order of preference.
 * @XIW_NL_RTR_WRITE: RDMA Write of length 0
 * @XIW_NL_RTR_READ: RDMA Read of length 0
 * @XIW_NL_RTR_SEND: Send of length 0, which consumes a receive of the
 *   responder
 */
enum xiw_nl_rtr {
	XIW_NL_RTR_WRITE = 1,
	XIW_NL_RTR_READ = 2,
	XIW_NL_RTR_SEND = 4,
};

/**
 * enum xiw_nl_encryption - Layers below MPA that encrypt.
 * @XIW_NL_ENCRYPTION_ESP: IPsec, as a policy requires
 * @XIW_NL_ENCRYPTION_WIREGUARD: a WireGuard interface
 * @XIW_NL_ENCRYPTION_MACSEC: a MACsec interface
 * @XIW_NL_ENCRYPTION_TLS: TLS of the connection itself
 */
enum xiw_nl_encryption {
	XIW_NL_ENCRYPTION_ESP = 1,
	XIW_NL_ENCRYPTION_WIREGUARD = 2,
	XIW_NL_ENCRYPTION_MACSEC = 4,
	XIW_NL_ENCRYPTION_TLS = 8,
};

/**
 * enum xiw_nl_tls - Use of TLS below MPA.
 * @XIW_NL_TLS_OFF: MPA runs on TCP
 * @XIW_NL_TLS_ACCEPT: a responder also accepts connections with TLS
 * @XIW_NL_TLS_REQUIRE: connections of both roles use TLS
 */
enum xiw_nl_tls {
	XIW_NL_TLS_OFF,
	XIW_NL_TLS_ACCEPT,
	XIW_NL_TLS_REQUIRE,
};

/**
 * enum xiw_nl_tls_cipher - Ciphers of TLS, in the order of linux/tls.h.
 */
enum xiw_nl_tls_cipher {
	XIW_NL_TLS_CIPHER_AES_GCM_128,
	XIW_NL_TLS_CIPHER_AES_GCM_256,
	XIW_NL_TLS_CIPHER_AES_CCM_128,
	XIW_NL_TLS_CIPHER_CHACHA20_POLY1305,
	XIW_NL_TLS_CIPHER_SM4_GCM,
	XIW_NL_TLS_CIPHER_SM4_CCM,
	XIW_NL_TLS_CIPHER_ARIA_GCM_128,
	XIW_NL_TLS_CIPHER_ARIA_GCM_256,
};

/**
 * enum xiw_nl_atomic_scope - Accesses with respect to which a remote atomic is
 *   atomic.
 * @XIW_NL_ATOMIC_SCOPE_NONE: no atomics
 * @XIW_NL_ATOMIC_SCOPE_DEVICE: other remote atomics through the same RNIC
 * @XIW_NL_ATOMIC_SCOPE_GLOBAL: other remote atomics and the atomics of the
 *   local CPUs
 */
enum xiw_nl_atomic_scope {
	XIW_NL_ATOMIC_SCOPE_NONE,
	XIW_NL_ATOMIC_SCOPE_DEVICE,
	XIW_NL_ATOMIC_SCOPE_GLOBAL,
};

/**
 * enum xiw_nl_role - Role in the connection setup.
 * @XIW_NL_ROLE_LISTENER: waits for connections
 * @XIW_NL_ROLE_INITIATOR: sent the MPA Request
 * @XIW_NL_ROLE_RESPONDER: answered the MPA Request
 */
enum xiw_nl_role {
	XIW_NL_ROLE_LISTENER,
	XIW_NL_ROLE_INITIATOR,
	XIW_NL_ROLE_RESPONDER,
};

/**
 * enum xiw_nl_mpa_state - Connection states, as enum xiw_mpas of the protocol
 *   core.
 * @XIW_NL_MPA_STATE_CLOSED: no TCP connection
 * @XIW_NL_MPA_STATE_TCP_UP: TCP established, MPA not started
 * @XIW_NL_MPA_STATE_REQ_SENT: Request sent, waiting for the Reply
 * @XIW_NL_MPA_STATE_WAIT_REQ: waiting for the Request
 * @XIW_NL_MPA_STATE_ULP_DECIDE: Request passed to the ULP, which has to accept
 *   or reject it
 * @XIW_NL_MPA_STATE_WAIT_RTR: Reply sent, waiting for the first FPDU
 * @XIW_NL_MPA_STATE_SEND_RTR: the peer has accepted, the RTR message must be
 *   sent
 * @XIW_NL_MPA_STATE_FULL: both directions carry FPDUs
 * @XIW_NL_MPA_STATE_CLOSING: graceful close
 * @XIW_NL_MPA_STATE_TERM: Terminate sent or received
 */
enum xiw_nl_mpa_state {
	XIW_NL_MPA_STATE_CLOSED,
	XIW_NL_MPA_STATE_TCP_UP,
	XIW_NL_MPA_STATE_REQ_SENT,
	XIW_NL_MPA_STATE_WAIT_REQ,
	XIW_NL_MPA_STATE_ULP_DECIDE,
	XIW_NL_MPA_STATE_WAIT_RTR,
	XIW_NL_MPA_STATE_SEND_RTR,
	XIW_NL_MPA_STATE_FULL,
	XIW_NL_MPA_STATE_CLOSING,
	XIW_NL_MPA_STATE_TERM,

	/* private: */
	__XIW_NL_MPA_STATE_MAX,
	XIW_NL_MPA_STATE_MAX = (__XIW_NL_MPA_STATE_MAX - 1)
};

/**
 * enum xiw_nl_stream_state - RDMAP stream states, as enum xiw_qps of the
 *   protocol core.
 * @XIW_NL_STREAM_STATE_IDLE: not connected
 * @XIW_NL_STREAM_STATE_NAMED: not connected, the peer is named by its address
 *   and QP number
 * @XIW_NL_STREAM_STATE_RTR: accepted, waiting for the first FPDU
 * @XIW_NL_STREAM_STATE_RTS: messages may be sent and received
 * @XIW_NL_STREAM_STATE_LEFT: the peer that is named by number has ended its QP
 * @XIW_NL_STREAM_STATE_CLOSING: graceful close
 * @XIW_NL_STREAM_STATE_TERMINATE: a Terminate is being sent
 * @XIW_NL_STREAM_STATE_ERROR: work requests are flushed
 */
enum xiw_nl_stream_state {
	XIW_NL_STREAM_STATE_IDLE,
	XIW_NL_STREAM_STATE_NAMED,
	XIW_NL_STREAM_STATE_RTR,
	XIW_NL_STREAM_STATE_RTS,
	XIW_NL_STREAM_STATE_LEFT,
	XIW_NL_STREAM_STATE_CLOSING,
	XIW_NL_STREAM_STATE_TERMINATE,
	XIW_NL_STREAM_STATE_ERROR,

	/* private: */
	__XIW_NL_STREAM_STATE_MAX,
	XIW_NL_STREAM_STATE_MAX = (__XIW_NL_STREAM_STATE_MAX - 1)
};

/**
 * enum xiw_nl_origin - Which end sent the Terminate message, or caused the
 *   event.
 * @XIW_NL_ORIGIN_LOCAL: this end
 * @XIW_NL_ORIGIN_REMOTE: the peer
 */
enum xiw_nl_origin {
	XIW_NL_ORIGIN_LOCAL,
	XIW_NL_ORIGIN_REMOTE,
};

/**
 * enum xiw_nl_notice - Kinds of events that a notice reports.
 * @XIW_NL_NOTICE_TERMINATE: a Terminate message was sent or received
 * @XIW_NL_NOTICE_ABORT: a connection ended without a Terminate, because TCP
 *   lost it or this end aborted it
 * @XIW_NL_NOTICE_REJECT: this end or the peer rejected an MPA Request
 * @XIW_NL_NOTICE_CONNECT_ERROR: a connect by this end failed for another
 *   reason
 * @XIW_NL_NOTICE_DEVICE_FAILED: the RNIC has failed
 * @XIW_NL_NOTICE_CONNECT: a connection is established
 * @XIW_NL_NOTICE_QP_STATE: the state of a stream has changed
 * @XIW_NL_NOTICE_CRC_ERROR: an FPDU with a bad CRC was received, and a
 *   Terminate follows
 * @XIW_NL_NOTICE_CONFIG: the configuration was changed, which may change the
 *   capabilities that the device offers to peers
 * @XIW_NL_NOTICE_LOST: the kernel has dropped notices before this one
 * @XIW_NL_NOTICE_LISTEN_ERROR: a listener of a new device waits because
 *   another socket has its port; the driver tries again
 */
enum xiw_nl_notice {
	XIW_NL_NOTICE_TERMINATE,
	XIW_NL_NOTICE_ABORT,
	XIW_NL_NOTICE_REJECT,
	XIW_NL_NOTICE_CONNECT_ERROR,
	XIW_NL_NOTICE_DEVICE_FAILED,
	XIW_NL_NOTICE_CONNECT,
	XIW_NL_NOTICE_QP_STATE,
	XIW_NL_NOTICE_CRC_ERROR,
	XIW_NL_NOTICE_CONFIG,
	XIW_NL_NOTICE_LOST,
	XIW_NL_NOTICE_LISTEN_ERROR,

	/* private: */
	__XIW_NL_NOTICE_MAX,
	XIW_NL_NOTICE_MAX = (__XIW_NL_NOTICE_MAX - 1)
};

/**
 * enum xiw_nl_ring - Queues and rings in which work waits between ULP, driver
 *   and RNIC.
 * @XIW_NL_RING_SEND_QUEUE: posted work requests
 * @XIW_NL_RING_RECEIVE_QUEUE: posted receives, unless the queue is shared
 * @XIW_NL_RING_REQUESTS: descriptors of this end's requests, Sends and Writes,
 *   in units of 64 octets
 * @XIW_NL_RING_RESPONSES: descriptors of responses to the peer, in units of 64
 *   octets
 * @XIW_NL_RING_ORD: sent Read and Atomic Requests that the peer has not
 *   answered
 * @XIW_NL_RING_IRD: received Read and Atomic Requests that this end has not
 *   answered
 * @XIW_NL_RING_EVENTS: events of the RNIC, one ring for each vector
 * @XIW_NL_RING_ADMIN: commands to the RNIC
 */
enum xiw_nl_ring {
	XIW_NL_RING_SEND_QUEUE,
	XIW_NL_RING_RECEIVE_QUEUE,
	XIW_NL_RING_REQUESTS,
	XIW_NL_RING_RESPONSES,
	XIW_NL_RING_ORD,
	XIW_NL_RING_IRD,
	XIW_NL_RING_EVENTS,
	XIW_NL_RING_ADMIN,

	/* private: */
	__XIW_NL_RING_MAX,
	XIW_NL_RING_MAX = (__XIW_NL_RING_MAX - 1)
};

/**
 * enum xiw_nl_segment_flag - Properties of a captured segment.
 * @XIW_NL_SEGMENT_FLAG_SENT: this end sent the segment; otherwise it received
 *   the segment
 * @XIW_NL_SEGMENT_FLAG_DAMAGED: the segment had a bad CRC or bad framing, so
 *   it was dropped
 */
enum xiw_nl_segment_flag {
	XIW_NL_SEGMENT_FLAG_SENT = 1,
	XIW_NL_SEGMENT_FLAG_DAMAGED = 2,
};

/**
 * enum xiw_nl_latency - Operations whose latency is measured, from post to
 *   completion.
 * @XIW_NL_LATENCY_SEND: Send in all its forms, until TCP has it
 * @XIW_NL_LATENCY_WRITE: RDMA Write, also with Immediate, until TCP has it
 * @XIW_NL_LATENCY_READ: RDMA Read, until the response is placed
 * @XIW_NL_LATENCY_ATOMIC: Atomic, until the response is placed
 * @XIW_NL_LATENCY_LOCAL: fast registration, and invalidation of a local STag
 */
enum xiw_nl_latency {
	XIW_NL_LATENCY_SEND,
	XIW_NL_LATENCY_WRITE,
	XIW_NL_LATENCY_READ,
	XIW_NL_LATENCY_ATOMIC,
	XIW_NL_LATENCY_LOCAL,

	/* private: */
	__XIW_NL_LATENCY_MAX,
	XIW_NL_LATENCY_MAX = (__XIW_NL_LATENCY_MAX - 1)
};

/**
 * enum xiw_nl_inject - Errors that a software RNIC injects, if the module is
 *   built with error injection.
 * @XIW_NL_INJECT_DROP: an FPDU is omitted from the stream
 * @XIW_NL_INJECT_DUPLICATE: an FPDU is sent twice
 * @XIW_NL_INJECT_CRC: an FPDU is sent with one bit of its CRC inverted
 * @XIW_NL_INJECT_RESET: TCP is reset instead of sending an FPDU, or in the
 *   middle of an FPDU
 * @XIW_NL_INJECT_DELAY: a response to the peer and all later responses are
 *   delayed
 * @XIW_NL_INJECT_STALL: a message and all later messages are held in the TX
 *   rings for some time
 * @XIW_NL_INJECT_REFUSE_ATOMIC: an Atomic Request is refused as if this end
 *   did not support atomics
 */
enum xiw_nl_inject {
	XIW_NL_INJECT_DROP,
	XIW_NL_INJECT_DUPLICATE,
	XIW_NL_INJECT_CRC,
	XIW_NL_INJECT_RESET,
	XIW_NL_INJECT_DELAY,
	XIW_NL_INJECT_STALL,
	XIW_NL_INJECT_REFUSE_ATOMIC,

	/* private: */
	__XIW_NL_INJECT_MAX,
	XIW_NL_INJECT_MAX = (__XIW_NL_INJECT_MAX - 1)
};

enum {
	XIW_A_LIMITS_QP = 1,
	XIW_A_LIMITS_CQ,
	XIW_A_LIMITS_MR,
	XIW_A_LIMITS_SRQ,
	XIW_A_LIMITS_PD,
	XIW_A_LIMITS_MW,
	XIW_A_LIMITS_WR,
	XIW_A_LIMITS_CQE,
	XIW_A_LIMITS_SGE,
	XIW_A_LIMITS_INLINE,
	XIW_A_LIMITS_IRD,
	XIW_A_LIMITS_ORD,
	XIW_A_LIMITS_PRIVATE_DATA,

	__XIW_A_LIMITS_MAX,
	XIW_A_LIMITS_MAX = (__XIW_A_LIMITS_MAX - 1)
};

enum {
	XIW_A_OBJECTS_QP = 1,
	XIW_A_OBJECTS_CQ,
	XIW_A_OBJECTS_MR,
	XIW_A_OBJECTS_SRQ,
	XIW_A_OBJECTS_PD,
	XIW_A_OBJECTS_MW,
	XIW_A_OBJECTS_CONNECTION,
	XIW_A_OBJECTS_LISTENER,
	XIW_A_OBJECTS_PARKED,

	__XIW_A_OBJECTS_MAX,
	XIW_A_OBJECTS_MAX = (__XIW_A_OBJECTS_MAX - 1)
};

enum {
	XIW_A_DEVICE_INDEX = 1,
	XIW_A_DEVICE_NAME,
	XIW_A_DEVICE_IFINDEX,
	XIW_A_DEVICE_KIND,
	XIW_A_DEVICE_STATE,
	XIW_A_DEVICE_VERSION,
	XIW_A_DEVICE_LIMITS,
	XIW_A_DEVICE_OBJECTS,

	__XIW_A_DEVICE_MAX,
	XIW_A_DEVICE_MAX = (__XIW_A_DEVICE_MAX - 1)
};

enum {
	XIW_A_CAPABILITY_ENTRY_ID = 1,
	XIW_A_CAPABILITY_ENTRY_LOCAL,
	XIW_A_CAPABILITY_ENTRY_OFFERED,
	XIW_A_CAPABILITY_ENTRY_PEER,
	XIW_A_CAPABILITY_ENTRY_AGREED,
	XIW_A_CAPABILITY_ENTRY_KNOWN,

	__XIW_A_CAPABILITY_ENTRY_MAX,
	XIW_A_CAPABILITY_ENTRY_MAX = (__XIW_A_CAPABILITY_ENTRY_MAX - 1)
};

enum {
	XIW_A_CAPABILITY_DEV_INDEX = 1,
	XIW_A_CAPABILITY_DEV_NAME,
	XIW_A_CAPABILITY_QPN,
	XIW_A_CAPABILITY_ENTRY,

	__XIW_A_CAPABILITY_MAX,
	XIW_A_CAPABILITY_MAX = (__XIW_A_CAPABILITY_MAX - 1)
};

enum {
	XIW_A_OPERATION_ENTRY_OPCODE = 1,
	XIW_A_OPERATION_ENTRY_TX,
	XIW_A_OPERATION_ENTRY_RX,
	XIW_A_OPERATION_ENTRY_PAD,
	XIW_A_OPERATION_ENTRY_TX_BYTES,
	XIW_A_OPERATION_ENTRY_RX_BYTES,

	__XIW_A_OPERATION_ENTRY_MAX,
	XIW_A_OPERATION_ENTRY_MAX = (__XIW_A_OPERATION_ENTRY_MAX - 1)
};

enum {
	XIW_A_TCP_RTT = 1,
	XIW_A_TCP_RTT_VAR,
	XIW_A_TCP_MSS,
	XIW_A_TCP_CWND,
	XIW_A_TCP_PEER_WINDOW,
	XIW_A_TCP_RETRANSMITS,
	XIW_A_TCP_TX_QUEUE,
	XIW_A_TCP_RX_QUEUE,
	XIW_A_TCP_CONGESTION,
	XIW_A_TCP_CIPHER,

	__XIW_A_TCP_MAX,
	XIW_A_TCP_MAX = (__XIW_A_TCP_MAX - 1)
};

enum {
	XIW_A_CONNECTION_DEV_INDEX = 1,
	XIW_A_CONNECTION_DEV_NAME,
	XIW_A_CONNECTION_QPN,
	XIW_A_CONNECTION_CM_ID,
	XIW_A_CONNECTION_ROLE,
	XIW_A_CONNECTION_MPA_STATE,
	XIW_A_CONNECTION_STREAM_STATE,
	XIW_A_CONNECTION_LOCAL_ADDR,
	XIW_A_CONNECTION_REMOTE_ADDR,
	XIW_A_CONNECTION_MPA_REVISION,
	XIW_A_CONNECTION_CRC,
	XIW_A_CONNECTION_MARKERS_TX,
	XIW_A_CONNECTION_MARKERS_RX,
	XIW_A_CONNECTION_RTR,
	XIW_A_CONNECTION_MULPDU,
	XIW_A_CONNECTION_IRD,
	XIW_A_CONNECTION_ORD,
	XIW_A_CONNECTION_IRD_USED,
	XIW_A_CONNECTION_ORD_USED,
	XIW_A_CONNECTION_FRAME_SENT,
	XIW_A_CONNECTION_FRAME_RECEIVED,
	XIW_A_CONNECTION_TX_BYTES,
	XIW_A_CONNECTION_RX_BYTES,
	XIW_A_CONNECTION_PARKED,
	XIW_A_CONNECTION_TERMINATE,
	XIW_A_CONNECTION_TERMINATE_ORIGIN,
	XIW_A_CONNECTION_PAD,
	XIW_A_CONNECTION_SQ_DEPTH,
	XIW_A_CONNECTION_SQ_USED,
	XIW_A_CONNECTION_RQ_DEPTH,
	XIW_A_CONNECTION_RQ_USED,
	XIW_A_CONNECTION_OPERATION,
	XIW_A_CONNECTION_TCP,
	XIW_A_CONNECTION_PORT_TAKEN,
	XIW_A_CONNECTION_PEER_QPN,
	XIW_A_CONNECTION_ENCRYPTION,

	__XIW_A_CONNECTION_MAX,
	XIW_A_CONNECTION_MAX = (__XIW_A_CONNECTION_MAX - 1)
};

enum {
	XIW_A_COUNTER_ENTRY_NAME = 1,
	XIW_A_COUNTER_ENTRY_VALUE,
	XIW_A_COUNTER_ENTRY_PAD,
	XIW_A_COUNTER_ENTRY_ABOUT,
	XIW_A_COUNTER_ENTRY_ERROR,

	__XIW_A_COUNTER_ENTRY_MAX,
	XIW_A_COUNTER_ENTRY_MAX = (__XIW_A_COUNTER_ENTRY_MAX - 1)
};

enum {
	XIW_A_COUNTER_DEV_INDEX = 1,
	XIW_A_COUNTER_DEV_NAME,
	XIW_A_COUNTER_ENTRY,
	XIW_A_COUNTER_OPERATION,

	__XIW_A_COUNTER_MAX,
	XIW_A_COUNTER_MAX = (__XIW_A_COUNTER_MAX - 1)
};

enum {
	XIW_A_CONFIG_DEV_INDEX = 1,
	XIW_A_CONFIG_DEV_NAME,
	XIW_A_CONFIG_CRC,
	XIW_A_CONFIG_MARKERS,
	XIW_A_CONFIG_MPA_REVISION,
	XIW_A_CONFIG_ATOMICS,
	XIW_A_CONFIG_IMMEDIATES,
	XIW_A_CONFIG_PEER_TO_PEER,
	XIW_A_CONFIG_RTR,
	XIW_A_CONFIG_PARK_TIME,
	XIW_A_CONFIG_STARTUP_TIME,
	XIW_A_CONFIG_RTR_TIME,
	XIW_A_CONFIG_LINGER_TIME,
	XIW_A_CONFIG_MULPDU_MAX,
	XIW_A_CONFIG_PEER_TIME,
	XIW_A_CONFIG_LATENCY,
	XIW_A_CONFIG_SEND_WITH_IMMEDIATE,
	XIW_A_CONFIG_CONNECT_BY_NUMBER,
	XIW_A_CONFIG_REQUIRE_ENCRYPTION,
	XIW_A_CONFIG_CONGESTION,
	XIW_A_CONFIG_TLS,

	__XIW_A_CONFIG_MAX,
	XIW_A_CONFIG_MAX = (__XIW_A_CONFIG_MAX - 1)
};

enum {
	XIW_A_RING_ENTRY_KIND = 1,
	XIW_A_RING_ENTRY_VECTOR,
	XIW_A_RING_ENTRY_SIZE,
	XIW_A_RING_ENTRY_DONE,
	XIW_A_RING_ENTRY_GIVEN,
	XIW_A_RING_ENTRY_POSTED,

	__XIW_A_RING_ENTRY_MAX,
	XIW_A_RING_ENTRY_MAX = (__XIW_A_RING_ENTRY_MAX - 1)
};

enum {
	XIW_A_REGISTER_ENTRY_NAME = 1,
	XIW_A_REGISTER_ENTRY_VALUE,
	XIW_A_REGISTER_ENTRY_PAD,

	__XIW_A_REGISTER_ENTRY_MAX,
	XIW_A_REGISTER_ENTRY_MAX = (__XIW_A_REGISTER_ENTRY_MAX - 1)
};

enum {
	XIW_A_RING_DEV_INDEX = 1,
	XIW_A_RING_DEV_NAME,
	XIW_A_RING_QPN,
	XIW_A_RING_VECTOR,
	XIW_A_RING_STREAM,
	XIW_A_RING_ENTRY,
	XIW_A_RING_REGISTER,

	__XIW_A_RING_MAX,
	XIW_A_RING_MAX = (__XIW_A_RING_MAX - 1)
};

enum {
	XIW_A_LATENCY_ENTRY_OPERATION = 1,
	XIW_A_LATENCY_ENTRY_SUM,
	XIW_A_LATENCY_ENTRY_COUNTS,
	XIW_A_LATENCY_ENTRY_PAD,

	__XIW_A_LATENCY_ENTRY_MAX,
	XIW_A_LATENCY_ENTRY_MAX = (__XIW_A_LATENCY_ENTRY_MAX - 1)
};

enum {
	XIW_A_LATENCY_DEV_INDEX = 1,
	XIW_A_LATENCY_DEV_NAME,
	XIW_A_LATENCY_ON,
	XIW_A_LATENCY_ENTRY,

	__XIW_A_LATENCY_MAX,
	XIW_A_LATENCY_MAX = (__XIW_A_LATENCY_MAX - 1)
};

enum {
	XIW_A_RECORD_AGE = 1,
	XIW_A_RECORD_SENT,
	XIW_A_RECORD_MESSAGE,
	XIW_A_RECORD_LENGTH,
	XIW_A_RECORD_DDP_HEADER,
	XIW_A_RECORD_HIDDEN,
	XIW_A_RECORD_PAD,

	__XIW_A_RECORD_MAX,
	XIW_A_RECORD_MAX = (__XIW_A_RECORD_MAX - 1)
};

enum {
	XIW_A_NOTICE_DEV_INDEX = 1,
	XIW_A_NOTICE_DEV_NAME,
	XIW_A_NOTICE_KIND,
	XIW_A_NOTICE_NUMBER,
	XIW_A_NOTICE_TIME,
	XIW_A_NOTICE_ORIGIN,
	XIW_A_NOTICE_QPN,
	XIW_A_NOTICE_CM_ID,
	XIW_A_NOTICE_ROLE,
	XIW_A_NOTICE_LOCAL_ADDR,
	XIW_A_NOTICE_REMOTE_ADDR,
	XIW_A_NOTICE_TERMINATE,
	XIW_A_NOTICE_SEGMENT_LENGTH,
	XIW_A_NOTICE_DDP_HEADER,
	XIW_A_NOTICE_RDMA_HEADER,
	XIW_A_NOTICE_HIDDEN,
	XIW_A_NOTICE_ERROR,
	XIW_A_NOTICE_TEXT,
	XIW_A_NOTICE_PAD,
	XIW_A_NOTICE_FROM,
	XIW_A_NOTICE_TO,
	XIW_A_NOTICE_RECORD,

	__XIW_A_NOTICE_MAX,
	XIW_A_NOTICE_MAX = (__XIW_A_NOTICE_MAX - 1)
};

enum {
	XIW_A_SEGMENT_PAD = 1,
	XIW_A_SEGMENT_TIME,
	XIW_A_SEGMENT_QPN,
	XIW_A_SEGMENT_FLAGS,
	XIW_A_SEGMENT_LENGTH,
	XIW_A_SEGMENT_DATA,

	__XIW_A_SEGMENT_MAX,
	XIW_A_SEGMENT_MAX = (__XIW_A_SEGMENT_MAX - 1)
};

enum {
	XIW_A_CAPTURE_DEV_INDEX = 1,
	XIW_A_CAPTURE_DEV_NAME,
	XIW_A_CAPTURE_PAD,
	XIW_A_CAPTURE_QPN,
	XIW_A_CAPTURE_SNAP,
	XIW_A_CAPTURE_SIZE,
	XIW_A_CAPTURE_SEEN,
	XIW_A_CAPTURE_LOST,
	XIW_A_CAPTURE_SEGMENT,

	__XIW_A_CAPTURE_MAX,
	XIW_A_CAPTURE_MAX = (__XIW_A_CAPTURE_MAX - 1)
};

enum {
	XIW_A_INJECT_ENTRY_KIND = 1,
	XIW_A_INJECT_ENTRY_QPN,
	XIW_A_INJECT_ENTRY_AT,
	XIW_A_INJECT_ENTRY_EVERY,
	XIW_A_INJECT_ENTRY_COUNT,
	XIW_A_INJECT_ENTRY_TIME,
	XIW_A_INJECT_ENTRY_OCTETS,
	XIW_A_INJECT_ENTRY_SEEN,
	XIW_A_INJECT_ENTRY_HITS,
	XIW_A_INJECT_ENTRY_PAD,

	__XIW_A_INJECT_ENTRY_MAX,
	XIW_A_INJECT_ENTRY_MAX = (__XIW_A_INJECT_ENTRY_MAX - 1)
};

enum {
	XIW_A_INJECT_DEV_INDEX = 1,
	XIW_A_INJECT_DEV_NAME,
	XIW_A_INJECT_ENTRY,
	XIW_A_INJECT_QPN,
	XIW_A_INJECT_KIND,
	XIW_A_INJECT_AT,
	XIW_A_INJECT_EVERY,
	XIW_A_INJECT_COUNT,
	XIW_A_INJECT_TIME,
	XIW_A_INJECT_OCTETS,

	__XIW_A_INJECT_MAX,
	XIW_A_INJECT_MAX = (__XIW_A_INJECT_MAX - 1)
};

enum {
	XIW_CMD_DEVICE_GET = 1,
	XIW_CMD_CAPABILITY_GET,
	XIW_CMD_CONNECTION_GET,
	XIW_CMD_COUNTER_GET,
	XIW_CMD_CONFIG_GET,
	XIW_CMD_CONFIG_SET,
	XIW_CMD_NOTICE_GET,
	XIW_CMD_NOTICE_NTF,
	XIW_CMD_LATENCY_GET,
	XIW_CMD_RING_GET,
	XIW_CMD_CAPTURE_START,
	XIW_CMD_CAPTURE_GET,
	XIW_CMD_CAPTURE_STOP,
	XIW_CMD_INJECT_SET,
	XIW_CMD_INJECT_GET,
	XIW_CMD_INJECT_CLEAR,

	__XIW_CMD_MAX,
	XIW_CMD_MAX = (__XIW_CMD_MAX - 1)
};

#define XIW_MCGRP_NOTICES	"notices"

#endif /* _UAPI_LINUX_XIW_H */

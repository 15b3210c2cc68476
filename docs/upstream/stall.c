// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * stall ADDRESS event|migrate: if the kernel lacks patch 0006, no iWARP connection of the machine
 * is set up or ends while this program runs. The program makes rdma_ucm write to a page whose fault
 * is never resolved: with "event", the program reads an event into the page; with "migrate", the
 * program moves an id to another channel, and the response is written to the page. Then the program
 * causes another event. iw_cm has one worker for all connections, and this worker waits for a mutex
 * that is held during the write. The program uses userfaultfd, which needs root; an unprivileged
 * user can do the same with a FUSE file system.
 *
 *     cc -Wall -o stall stall.c -lrdmacm -libverbs
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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
    check(event->event != wanted, rdma_event_str(event->event));
    rdma_ack_cm_event(event);
}

/* Map a page whose fault is never resolved. */
static void *hole(int faults) {
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
    size_t size = sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    range.range.start = (unsigned long)page;
    range.range.len = size;
    check(faults < 0 || page == MAP_FAILED || ioctl(faults, UFFDIO_API, &api) ||
              ioctl(faults, UFFDIO_REGISTER, &range),
          "userfaultfd");
    return page;
}

struct stall {
    int file, other;
    void *to;
};

/*
 * Send RDMA_USER_CM_CMD_GET_EVENT. The header that defines this command conflicts with rdma_cma.h,
 * so define the command here.
 */
static void *read_event(void *of) {
    const struct stall *stall = of;
    struct {
        uint32_t command;
        uint16_t in, out;
        uint64_t response;
    } get = {12, sizeof get.response, 512, (unsigned long)stall->to};

    check(write(stall->file, &get, sizeof get) < 0, "get_event");
    return NULL;
}

/*
 * Send RDMA_USER_CM_CMD_MIGRATE_ID for the id that connects. librdmacm hides the number of the id,
 * so try all numbers.
 */
static void *migrate(void *of) {
    const struct stall *stall = of;
    struct {
        uint32_t command;
        uint16_t in, out;
        uint64_t response;
        uint32_t id, from;
    } move = {18, 16, 4, (unsigned long)stall->to, 0, stall->file};

    while (write(stall->other, &move, sizeof move) < 0 && move.id < 65536)
        move.id++;
    check(move.id == 65536, "migrate_id");
    return NULL;
}

int main(int argc, char **argv) {
    struct sockaddr_in from = {.sin_family = AF_INET}, to;
    struct uffd_msg fault;
    struct stall stall;
    pthread_t thread;
    socklen_t length = sizeof to;
    struct rdma_event_channel *channel, *elsewhere;
    struct ibv_qp_init_attr attr = {.qp_type = IBV_QPT_RC, .cap = {1, 1, 1, 1, 0}};
    struct rdma_conn_param param = {.responder_resources = 1, .initiator_depth = 1};
    struct rdma_cm_id *id, *other;
    int server, faults;

    if (argc != 3 || !inet_pton(AF_INET, argv[1], &from.sin_addr)) {
        fprintf(stderr, "usage: stall ADDRESS event|migrate\n");
        return 2;
    }
    /* Create the peer: a TCP listener that never answers, and is closed below. */
    server = socket(AF_INET, SOCK_STREAM, 0);
    to = from;
    check(server < 0 || bind(server, (struct sockaddr *)&to, length) || listen(server, 1) ||
              getsockname(server, (struct sockaddr *)&to, &length),
          "listen");
    channel = rdma_create_event_channel();
    elsewhere = rdma_create_event_channel();
    check(!channel || !elsewhere || rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) ||
              rdma_create_id(channel, &other, NULL, RDMA_PS_TCP),
          "rdma_create_id");
    check(rdma_resolve_addr(id, (struct sockaddr *)&from, (struct sockaddr *)&to, 5000),
          "rdma_resolve_addr");
    expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
    check(rdma_resolve_route(id, 5000), "rdma_resolve_route");
    expect(channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
    check(rdma_create_qp(id, NULL, &attr), "rdma_create_qp");
    check(rdma_connect(id, &param), "rdma_connect");
    check(rdma_resolve_addr(other, (struct sockaddr *)&from, (struct sockaddr *)&to, 5000),
          "rdma_resolve_addr");

    faults = syscall(SYS_userfaultfd, O_CLOEXEC);
    stall = (struct stall){channel->fd, elsewhere->fd, hole(faults)};
    check(pthread_create(&thread, NULL, strcmp(argv[2], "migrate") ? read_event : migrate, &stall),
          "pthread_create");
    check(read(faults, &fault, sizeof fault) != sizeof fault, "no fault");
    /* Make the connect fail, so that iw_cm's worker handles the event of the failure. */
    close(server);
    puts("stalled");
    fflush(stdout);
    pause();
}

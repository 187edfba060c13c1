#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 1 << 21,
    PATIENCE_MS = 20000,
    MOST_SECONDS = 300,
};

typedef struct connection {
    int socket;
    unsigned rounds, answers_due;
    size_t to_send, sent, received;
    char *out, *in;
} connection;

void load_fail(const char *what)
{
    fprintf(stderr, "load: %s\n", what);
    exit(1);
}

static void fail_by_errno(const char *what)
{
    fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void connect_to(connection *one, unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((in_port_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int yes = 1;
    one->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (one->socket < 0 || connect(one->socket, (struct sockaddr *)&address, sizeof address) != 0 ||
        setsockopt(one->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0) {
        fail_by_errno("connect");
    }
    one->received = 0;
}

static void send_some(connection *one)
{
    ssize_t sent = send(one->socket, one->out + one->sent, one->to_send - one->sent,
                        MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
        one->sent += (size_t)sent;
    } else if (errno != EAGAIN && errno != EINTR) {
        fail_by_errno("send");
    }
}

/* The next requests of a connection, if it has more; otherwise it is closed. */
static int ask(connection *one, unsigned number, const load_plan *plan)
{
    one->to_send = plan->protocol->requests(number, one->out, BUFFER_BYTES, &one->answers_due);
    one->sent = 0;
    if (one->to_send == 0) {
        close(one->socket);
        one->socket = -1;
        return 0;
    }
    if (plan->rounds_per_socket > 0 && one->rounds > 0 &&
        one->rounds % plan->rounds_per_socket == 0) {
        close(one->socket);
        connect_to(one, plan->port);
    }
    one->rounds++;
    send_some(one);
    return 1;
}

/* Takes whole answers from the front of what was received. */
static void take_answers(connection *one, unsigned number, const load_plan *plan)
{
    size_t taken = 0;
    while (one->answers_due > 0 && taken < one->received) {
        size_t bytes = plan->protocol->answer(number, one->in + taken, one->received - taken);
        if (bytes == 0) {
            break;
        }
        taken += bytes;
        one->answers_due--;
    }
    memmove(one->in, one->in + taken, one->received - taken);
    one->received -= taken;
    if (one->answers_due == 0 && one->received > 0) {
        load_fail("more answers than requests");
    }
}

/* What has come in; whether the connection still waits or asks. */
static int receive_some(connection *one, unsigned number, const load_plan *plan)
{
    if (one->received == BUFFER_BYTES) {
        load_fail("an answer that is too large");
    }
    ssize_t bytes =
        recv(one->socket, one->in + one->received, BUFFER_BYTES - one->received, MSG_DONTWAIT);
    if (bytes == 0) {
        load_fail("the server has closed a connection");
    }
    if (bytes < 0) {
        if (errno != EAGAIN && errno != EINTR) {
            fail_by_errno("recv");
        }
        return 1;
    }
    one->received += (size_t)bytes;
    take_answers(one, number, plan);
    return one->answers_due > 0 ? 1 : ask(one, number, plan);
}

static unsigned serve_once(connection *all, struct pollfd *polled, const load_plan *plan)
{
    unsigned ended = 0;
    for (unsigned number = 0; number < plan->connections; number++) {
        polled[number].fd = all[number].socket;
        polled[number].events =
            (short)(POLLIN | (all[number].sent < all[number].to_send ? POLLOUT : 0));
    }
    if (poll(polled, plan->connections, PATIENCE_MS) <= 0) {
        load_fail("the server does not answer");
    }
    for (unsigned number = 0; number < plan->connections; number++) {
        if (polled[number].revents & POLLOUT) {
            send_some(&all[number]);
        }
        if (polled[number].revents & (POLLIN | POLLHUP | POLLERR)) {
            ended += !receive_some(&all[number], number, plan);
        }
    }
    return ended;
}

void load_run(const load_plan *plan)
{
    connection *all = calloc(plan->connections, sizeof *all);
    struct pollfd *polled = calloc(plan->connections, sizeof *polled);
    unsigned open = 0;
    alarm(MOST_SECONDS);
    if (all == NULL || polled == NULL) {
        load_fail("no memory");
    }
    for (unsigned number = 0; number < plan->connections; number++) {
        all[number].out = malloc(BUFFER_BYTES);
        all[number].in = malloc(BUFFER_BYTES);
        if (all[number].out == NULL || all[number].in == NULL) {
            load_fail("no memory");
        }
        connect_to(&all[number], plan->port);
        open += (unsigned)ask(&all[number], number, plan);
    }
    while (open > 0) {
        open -= serve_once(all, polled, plan);
    }
    for (unsigned number = 0; number < plan->connections; number++) {
        free(all[number].out);
        free(all[number].in);
    }
    free(all);
    free(polled);
}

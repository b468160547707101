// Sockets, and other ways to programs that do not expect the script: all are closed, with the
// network as without it.
#include "probes.h"
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

static struct sockaddr_un at(const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, in(around.sockets, name), sizeof address.sun_path - 1);
    return address;
}

static long pair(int type) {
    int ends[2];
    return socketpair(AF_UNIX, type, 0, ends);
}

static long connects(int type, const char *name) {
    struct sockaddr_un address = at(name);
    int descriptor = socket(AF_UNIX, type, 0);
    if (descriptor < 0) return -1;
    return connect(descriptor, (struct sockaddr *)&address, sizeof address);
}

static long connect_stream(void) { return connects(SOCK_STREAM, "stream"); }
static long connect_datagram(void) { return connects(SOCK_DGRAM, "datagram"); }
static long make_stream(void) { return socket(AF_UNIX, SOCK_STREAM, 0); }
static long make_datagram(void) { return socket(AF_UNIX, SOCK_DGRAM, 0); }
static long make_flagged(void) {
    return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}
static long make_packets(void) { return socket(AF_UNIX, SOCK_SEQPACKET, 0); }
static long pair_datagram(void) { return pair(SOCK_DGRAM); }
static long pair_flagged(void) { return pair(SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK); }
static long pair_raw(void) { return pair(SOCK_RAW); }
static long pair_packets(void) { return pair(SOCK_SEQPACKET); }
// The family is the lower half of a register for the kernel.
static long pair_high(void) {
    int ends[2];
    return syscall(SYS_socketpair, AF_UNIX | 1L << 32, SOCK_DGRAM | 1L << 32, 0, ends);
}
static long send_from_pair(void) {
    struct sockaddr_un address = at("datagram");
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) return -1;
    return sendto(ends[0], "a", 1, 0, (struct sockaddr *)&address, sizeof address);
}
static long connect_from_pair(void) {
    struct sockaddr_un address = at("datagram");
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) return -1;
    return connect(ends[0], (struct sockaddr *)&address, sizeof address);
}
static long send_message_from_pair(void) {
    struct sockaddr_un address = at("datagram");
    struct iovec piece = {"a", 1};
    struct msghdr message = {&address, sizeof address, &piece, 1, NULL, 0, 0};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) return -1;
    return sendmsg(ends[0], &message, 0);
}
static long bind_path(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = in(around.scratch, "bound");
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    (void)unlink(path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor < 0) return -1;
    return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}
static long bind_abstract(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0proxyd-probe"};
    int descriptor = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (descriptor < 0) return -1;
    return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}
static long make_raw(void) { return socket(AF_INET, SOCK_RAW, 1); }
static long make_raw_6(void) { return socket(AF_INET6, SOCK_RAW, 58); }
static long make_packet(void) { return socket(17, SOCK_RAW, 0); }
static long make_machine(void) { return socket(40, SOCK_STREAM, 0); }
static long make_crypto(void) { return socket(38, SOCK_SEQPACKET, 0); }
static long make_events(void) { return socket(AF_NETLINK, SOCK_DGRAM, 15); }
static long make_audit(void) { return socket(AF_NETLINK, SOCK_RAW, 9); }
static long make_firewall(void) { return socket(AF_NETLINK, SOCK_RAW, 12); }
static long make_diagnosis(void) { return socket(AF_NETLINK, SOCK_DGRAM, 4); }
static long make_bluetooth(void) { return socket(31, SOCK_RAW, 1); }
static long make_can(void) { return socket(29, SOCK_RAW, 1); }
static long make_xdp(void) { return socket(44, SOCK_RAW, 0); }
static long make_association(void) { return socket(AF_INET, SOCK_SEQPACKET, 132); }

static long make_multipath(void) { return socket(AF_INET, SOCK_STREAM, 262); }
static long make_multipath_6(void) { return socket(AF_INET6, SOCK_STREAM, 262); }
static long make_light(void) { return socket(AF_INET, SOCK_DGRAM, 136); }
static long make_ping(void) { return socket(AF_INET, SOCK_DGRAM, 1); }
static long make_ping_6(void) { return socket(AF_INET6, SOCK_DGRAM, 58); }
static long make_stream_association(void) { return socket(AF_INET, SOCK_STREAM, 132); }
static long make_tcp_raw(void) { return socket(AF_INET, SOCK_RAW, 6); }

static long share_memory(void) {
    int memory = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    if (memory < 0) return -1;
    (void)shmctl(memory, IPC_RMID, NULL);
    return memory;
}
static long attach_memory(void) {
    int memory = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    // Number 0 may be another one's; without a right to it there is no other error than EACCES.
    void *place = shmat(memory < 0 ? 0 : memory, NULL, 0);
    int reason = errno;
    if (memory >= 0) (void)shmctl(memory, IPC_RMID, NULL);
    errno = reason;
    return place == (void *)-1 ? -1 : 0;
}
static long find_memory(void) {
    struct shmid_ds facts;
    return shmctl(0, 13 /* SHM_STAT */, &facts) >= 0 || errno == EINVAL ? 0 : -1;
}
static long queue_messages(void) {
    int queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    if (queue < 0) return -1;
    (void)msgctl(queue, IPC_RMID, NULL);
    return queue;
}
static long take_message(void) {
    struct { long type; char text[8]; } message;
    // There is no such queue, which only the call itself can say.
    long outcome = msgrcv(0x7FFFFFFF, &message, 8, 0, IPC_NOWAIT);
    return outcome >= 0 || errno == EINVAL ? 0 : -1;
}
static long send_message(void) {
    struct { long type; char text[8]; } message = {1, "a"};
    long outcome = msgsnd(0x7FFFFFFF, &message, 8, IPC_NOWAIT);
    return outcome >= 0 || errno == EINVAL ? 0 : -1;
}
static long make_semaphores(void) {
    int set = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    if (set < 0) return -1;
    (void)semctl(set, 0, IPC_RMID);
    return set;
}
static long change_semaphores(void) {
    struct sembuf step = {0, 1, IPC_NOWAIT};
    return semop(0x7FFFFFFF, &step, 1) == 0 || errno == EINVAL ? 0 : -1;
}
static long open_queue(void) {
    mqd_t queue = mq_open("/proxyd-probe", O_CREAT | O_RDWR, 0600, NULL);
    if (queue < 0) return -1;
    (void)mq_unlink("/proxyd-probe");
    return queue;
}
static long remove_queue(void) {
    return syscall(SYS_mq_unlink, "proxyd-none") == 0 || errno == ENOENT ? 0 : -1;
}
static long share_by_name(void) {
    int memory = shm_open("/proxyd-probe", O_CREAT | O_RDWR, 0600);
    return memory < 0 ? -1 : shm_unlink("/proxyd-probe");
}

const struct probe socket_probes[] = {
    {"connect to a stream socket", connect_stream, 0},
    {"connect to a datagram socket", connect_datagram, 0},
    {"make a Unix stream socket", make_stream, 0},
    {"make a Unix datagram socket", make_datagram, 0},
    {"make a Unix datagram socket with flags", make_flagged, 0},
    {"make a Unix packet socket", make_packets, 0},
    {"make a pair of datagram sockets", pair_datagram, 0},
    {"make a pair of datagram sockets with flags", pair_flagged, 0},
    {"make a pair of datagram sockets with high bits", pair_high, 0},
    {"make a pair of raw sockets", pair_raw, 0},
    {"make a pair of packet sockets", pair_packets, 0},
    {"send to a socket from a pair", send_from_pair, 0},
    {"send a message to a socket from a pair", send_message_from_pair, 0},
    {"connect to a socket from a pair", connect_from_pair, 0},
    {"bind a Unix socket to a path", bind_path, 0},
    {"bind a Unix socket to an abstract name", bind_abstract, 1},
    {"make a raw IPv4 socket", make_raw, 1},
    {"make a raw IPv6 socket", make_raw_6, 1},
    {"make a packet socket", make_packet, 1},
    {"make a socket to the virtual machine's host", make_machine, 1},
    {"make a socket for cryptography", make_crypto, 1},
    {"make a socket for events of devices", make_events, 0},
    {"make a socket for audit", make_audit, 1},
    {"make a socket for the firewall", make_firewall, 1},
    {"make a socket for facts about sockets", make_diagnosis, 1},
    {"make a Bluetooth socket", make_bluetooth, 1},
    {"make a CAN socket", make_can, 1},
    {"make an XDP socket", make_xdp, 1},
    {"make an SCTP socket", make_association, 1},
    {"make an SCTP stream", make_stream_association, 1},
    {"make a Multipath TCP socket", make_multipath, 1},
    {"make a Multipath TCP socket of IPv6", make_multipath_6, 1},
    {"make a UDP-Lite socket", make_light, 1},
    {"make an ICMP socket", make_ping, 1},
    {"make an ICMP socket of IPv6", make_ping_6, 1},
    {"make a raw TCP socket", make_tcp_raw, 1},
    {"make shared memory (System V)", share_memory, 1},
    {"attach shared memory (System V)", attach_memory, 1},
    {"find shared memory (System V)", find_memory, 1},
    {"make a message queue (System V)", queue_messages, 1},
    {"take a message (System V)", take_message, 1},
    {"send a message (System V)", send_message, 1},
    {"make semaphores (System V)", make_semaphores, 1},
    {"change semaphores (System V)", change_semaphores, 1},
    {"make a message queue (POSIX)", open_queue, 1},
    {"remove a message queue (POSIX)", remove_queue, 1},
    {"share memory by a name (POSIX)", share_by_name, 1},
    {NULL, NULL, 0},
};

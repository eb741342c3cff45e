/* SPDX-License-Identifier: Apache-2.0 */
/* EmberSM: a preload that gives programs on ibsim what the kernel's umad driver would give them. */
/*
 * It replaces ibsim's own libumad2sim.so and adds what that one lacks: RMPP both ways, transaction
 * time-outs and retries, ENOSPC on short reads, method masks, real descriptors (poll, select and
 * epoll work on them), a fresh sysfs on each open, and no deadlock between the sender and ibsim.
 * It speaks the unmodified ibsim protocol.
 *
 * Environment: IBSIM_SOCKNAME, SIM_HOST (as the stock library);
 *   SIMUMAD_COUNTS=FILE  counts the datagrams in a file that survives a kill: 32-bit numbers
 *                        [direction: out, in][class: 0x01, 0x81, other]
 *                        [method & 0x1f | response << 5][attribute & 0xff]
 *   SIMUMAD_LISTEN=1     also receives requests for QP0/1 (Reports) without being an SM
 *   SIMUMAD_NORMPP=1     passes RMPP packets untouched
 *   SIMUMAD_DEBUG=1      traces
 * Limits of ibsim stay: 10 clients, 256-byte MADs, no GRH, no P_Key check.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <linux/sockios.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <rdma/ib_user_mad.h>

/* ---- ibsim protocol ---- */
enum { CTL_ERROR, CTL_CONNECT, CTL_DISCONNECT, CTL_GET_PORT, CTL_GET_VENDOR, CTL_GET_GID,
       CTL_GET_GUID, CTL_GET_NODEINFO, CTL_GET_PORTINFO, CTL_SET_ISSM, CTL_GET_PKEYS };
struct ctl { uint32_t magic, client, type, len; uint8_t data[64]; };
struct info { uint32_t id, qp, issm; char nodeid[32]; };
struct pkt { uint32_t dlid, slid, dqp, sqp, status; uint64_t length; uint8_t mad[256]; };
#define MAGIC 0xdeadbeef

#define HDR (sizeof(struct ib_user_mad_hdr))
#define SA_HDR 56		/* MAD 24 + RMPP 12 + SA 20 */
#define SEG 200			/* SA payload of one segment */
#define RMPP_DATA 220		/* what PayloadLength counts for a full segment */
#define WINDOW 64
#define XFER_TTL 30000		/* ms an unfinished RMPP transfer is kept */
#define FLUSH_TTL 2000		/* ms the end waits for ibsim to read what was sent */

#define LOG(...) do { if (debug) fprintf(stderr, "simumad: " __VA_ARGS__); } while (0)
#define M_CLASS(m) ((m)[1])
#define M_METHOD(m) ((m)[3])
#define M_RESP(m) ((m)[3] & 0x80 || (m)[3] == 7)
#define R_TYPE(m) ((m)[25])
#define R_FLAGS(m) ((m)[26])
enum { ACTIVE = 1, FIRST = 2, LAST = 4 };

static uint32_t get32(const void *p) { uint32_t v; memcpy(&v, p, 4); return ntohl(v); }
static void put32(void *p, uint32_t v) { v = htonl(v); memcpy(p, &v, 4); }
static uint64_t get64(const void *p) { uint64_t v; memcpy(&v, p, 8); return be64toh(v); }
static void put64(void *p, uint64_t v) { v = htobe64(v); memcpy(p, &v, 8); }
#define TID48(m) (get64((m) + 8) & 0xffffffffffffULL)	/* ibsim owns the top 16 bits */

struct msg { struct msg *next; size_t len; uint8_t b[]; };	/* b: umad header + MAD */
struct tx { struct tx *next; struct pkt p; };
struct ufile { int fd, nonblock; struct msg *head, **tail; pthread_mutex_t mx; struct ufile *next; };
struct agent { struct ufile *f; uint8_t class, version, rmpp; uint32_t qpn; uint64_t mask[2]; };
struct pending {		/* a request waiting for its response */
	struct pending *next; uint64_t tid; int agent, retries; int64_t due, timeout; struct msg *m;
};
struct xfer {			/* an RMPP transfer, in or out */
	struct xfer *next; int out, agent; uint64_t tid; struct pkt hdr; int64_t born;
	uint8_t *data; size_t len; uint32_t nseg, next_seg, win;
};

static int debug, no_rmpp, inited, sock = -1, ctlfd = -1, wake = -1, client;
static pthread_mutex_t mx = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP, ctl_mx = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t init_mx;
static struct agent agents[64];
static struct ufile *files;
static struct pending *pendings[4096];	/* by transaction */
#define BUCKET(tid) (&pendings[((tid) ^ (tid) >> 12) & 4095])
static struct xfer *xfers;
static struct tx *txq, **txtail = &txq;
static int issm_fd = -1;
static char root[64];
static int64_t fresh;
static uint8_t nodeinfo[64], portinfo[64], pkeys[64];

static int (*r_open)(const char *, int, ...), (*r_close)(int), (*r_ioctl)(int, unsigned long, ...);
static ssize_t (*r_read)(int, void *, size_t), (*r_write)(int, const void *, size_t);
static FILE *(*r_fopen)(const char *, const char *);
static DIR *(*r_opendir)(const char *);
static int (*r_scandir)(const char *, struct dirent ***, int (*)(const struct dirent *),
			int (*)(const struct dirent **, const struct dirent **));

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* ---- control channel ---- */
static socklen_t addr(struct sockaddr_un *a, const char *fmt, ...)
{
	char *base = getenv("IBSIM_SOCKNAME");
	va_list ap;
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	int n = snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1, "%s", base ? base : "sim");
	va_start(ap, fmt);
	n += vsnprintf(a->sun_path + 1 + n, sizeof(a->sun_path) - 1 - n, fmt, ap);
	va_end(ap);
	return offsetof(struct sockaddr_un, sun_path) + 1 + n + 1;	/* ibsim counts the final NUL */
}

static int control(int type, void *data, int len)
{
	struct ctl c = { MAGIC, client, type, len, {0} };
	int ok;
	memcpy(c.data, data, len);
	pthread_mutex_lock(&ctl_mx);
	ok = r_write(ctlfd, &c, sizeof(c)) == sizeof(c) && r_read(ctlfd, &c, sizeof(c)) == sizeof(c)
	    && c.type != CTL_ERROR;
	pthread_mutex_unlock(&ctl_mx);
	if (ok)
		memcpy(data, c.data, len);
	return ok ? 0 : -1;
}

/* ---- sysfs tree ---- */
static void put_file(const char *dir, const char *name, const char *fmt, ...)
{
	char p[512];
	va_list ap;
	snprintf(p, sizeof(p), "%s%s/%s", root, dir, name);
	for (char *s = p + 1; (s = strchr(s, '/')); *s++ = '/') {
		*s = 0;
		mkdir(p, 0755);
	}
	FILE *f = r_fopen(p, "w");
	if (!f)
		return;
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fclose(f);
}

static void put_guid(const char *dir, const char *name, uint64_t prefix, uint64_t g, int full)
{
	char s[48] = "", *p = s;
	for (int k = full ? 0 : 1; k < 2; k++)
		for (int i = 48; i >= 0; i -= 16)
			p += sprintf(p, "%s%04x", p == s ? "" : ":",
				     (unsigned)((k ? g : prefix) >> i & 0xffff));
	put_file(dir, name, "%s\n", s);
}

static void put_sysfs(void)
{
	static const char *types[] = { "?", "CA", "SWITCH", "ROUTER" };
	static const char *st[] = { "NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER", "?", "?" };
	static const char *ph[] = { "?", "Sleep", "Polling", "Disabled", "PortConfigurationTraining",
		"LinkUp", "LinkErrorRecovery", "Phy Test" };
	static const char *ca = "/sys/class/infiniband/ibsim0";
	const uint8_t *n = nodeinfo, *p = portinfo;
	char dir[128];
	int type = n[2] < 4 ? n[2] : 0, port = type == 2 ? 0 : n[36];

	fresh = now();
	control(CTL_GET_PORTINFO, memset(portinfo, 0, 64), 64);
	control(CTL_GET_PKEYS, memset(pkeys, 0, 64), 64);
	if (!port && type != 2)
		port = 1;
	put_file("/sys/class/infiniband_mad", "abi_version", "5\n");
	put_file(ca, "node_type", "%d: %s\n", type, types[type]);
	put_file(ca, "fw_ver", "1\n");
	put_file(ca, "hw_rev", "%x\n", get32(n + 32));
	put_file(ca, "hca_type", "simulator\n");
	put_guid(ca, "node_guid", 0, get64(n + 12), 0);
	put_guid(ca, "sys_image_guid", 0, get64(n + 4), 0);
	snprintf(dir, sizeof(dir), "%s/ports/%d", ca, port);
	put_file(dir, "lid", "0x%x\n", p[16] << 8 | p[17]);
	put_file(dir, "sm_lid", "0x%x\n", p[18] << 8 | p[19]);
	put_file(dir, "cap_mask", "0x%08x\n", get32(p + 20));
	put_file(dir, "state", "%d: %s\n", p[32] & 15, st[p[32] & 7]);
	put_file(dir, "phys_state", "%d: %s\n", p[33] >> 4, ph[p[33] >> 4 & 7]);
	put_file(dir, "lid_mask_count", "%d\n", p[34] & 7);
	put_file(dir, "sm_sl", "%d\n", p[36] & 15);
	put_file(dir, "rate", "10 Gb/sec (4X)\n");
	put_file(dir, "link_layer", "InfiniBand\n");
	put_guid(dir, "gids/0", get64(p + 8), get64(n + 12) + port, 1);
	for (int i = 0; i < 32; i++) {
		char name[16];
		snprintf(name, sizeof(name), "pkeys/%d", i);
		put_file(dir, name, "0x%02x%02x\n", pkeys[2 * i], pkeys[2 * i + 1]);
	}
	for (int i = 0; i < 2; i++) {
		const char *d = i ? "/sys/class/infiniband_mad/issm0" : "/sys/class/infiniband_mad/umad0";
		put_file(d, "ibdev", "ibsim0\n");
		put_file(d, "port", "%d\n", port);
	}
}

/* ---- counters: in a shared mapping, so that they can be read while we run or after a kill ---- */
static uint32_t (*counts)[3][64][256];

static void open_counts(void)
{
	const char *path = getenv("SIMUMAD_COUNTS");
	size_t n = 2 * sizeof(*counts);
	int fd = path ? r_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644) : -1;
	if (fd < 0)
		return;
	if (!ftruncate(fd, n)) {
		void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		counts = p == MAP_FAILED ? NULL : p;
	}
	r_close(fd);
}

static void count(int in, const uint8_t *m)
{
	if (counts)
		counts[in][M_CLASS(m) == 1 ? 0 : M_CLASS(m) == 0x81 ? 1 : 2]
			[(M_METHOD(m) & 0x1f) | (M_METHOD(m) & 0x80) >> 2][m[17]]++;
}

/* ---- queues; all under mx, the queue of a file also under its own ---- */
static void send_pkt(const struct pkt *p)
{
	uint64_t one = 1;
	count(0, p->mad);
	if (!txq && send(sock, p, sizeof(*p), MSG_DONTWAIT) == sizeof(*p))
		return;
	struct tx *t = malloc(sizeof(*t));	/* ibsim is busy: the I/O thread goes on */
	t->p = *p;
	t->next = NULL;
	*txtail = t;
	txtail = &t->next;
	if (r_write(wake, &one, 8) < 0)
		LOG("wake: %m\n");
}

static void deliver(int a, const struct pkt *p, uint32_t status, const uint8_t *mad, size_t len)
{
	struct ufile *f = agents[a].f;
	struct msg *m = calloc(1, sizeof(*m) + HDR + len);
	struct ib_user_mad_hdr *h = (void *)m->b;
	uint64_t one = 1;
	m->len = HDR + len;
	h->id = a;
	h->status = status;
	h->length = m->len;
	h->qpn = p->sqp;
	h->lid = (uint16_t)p->slid;
	memcpy(m->b + HDR, mad, len);
	pthread_mutex_lock(&f->mx);
	*f->tail = m;
	f->tail = &m->next;
	if (r_write(f->fd, &one, 8) != 8)
		LOG("eventfd: %m\n");
	pthread_mutex_unlock(&f->mx);
}

static struct pending *find_pending(uint64_t tid, uint8_t class, int take)
{
	for (struct pending **q = BUCKET(tid), *p; (p = *q); q = &p->next)
		if (p->tid == tid && M_CLASS(p->m->b + HDR) == class) {
			if (take)
				*q = p->next;
			return p;
		}
	return NULL;
}

static void free_pending(struct pending *p)
{
	free(p->m);
	free(p);
}

static void make_pkt(struct pkt *p, const struct msg *m)
{
	const struct ib_user_mad_hdr *h = (void *)m->b;
	size_t n = m->len - HDR;
	memset(p, 0, sizeof(*p));
	p->dlid = h->lid;
	p->slid = h->lid == 0xffff ? 0xffff : 0;	/* 0: filled in by ibsim */
	p->dqp = h->qpn;
	p->sqp = htonl(agents[h->id].qpn);
	p->length = htobe64(256);
	memcpy(p->mad, m->b + HDR, n < 256 ? n : 256);
}

/* ---- RMPP ---- */
static void send_seg(struct xfer *x, uint32_t seg)
{
	struct pkt p = x->hdr;
	size_t off = (size_t)(seg - 1) * SEG, n = x->len - off < SEG ? x->len - off : SEG;
	uint32_t total = x->nseg * RMPP_DATA - (x->nseg * SEG - x->len), pay = 0;
	uint8_t fl = ACTIVE;
	if (seg == 1)
		fl |= FIRST, pay = total;
	if (seg == x->nseg)
		fl |= LAST, pay = n + RMPP_DATA - SEG;
	p.mad[24] = 1;
	p.mad[25] = 1;
	p.mad[26] = 0x78 | fl;
	p.mad[27] = 0;
	put32(p.mad + 28, seg);
	put32(p.mad + 32, pay);
	memset(p.mad + SA_HDR, 0, SEG);
	memcpy(p.mad + SA_HDR, x->data + off, n);
	send_pkt(&p);
}

static void drop_xfer(struct xfer *x)
{
	for (struct xfer **q = &xfers; *q; q = &(*q)->next)
		if (*q == x) {
			*q = x->next;
			break;
		}
	free(x->data);
	free(x);
}

static struct xfer *find_xfer(int out, uint64_t tid, uint16_t lid)
{
	struct xfer *x = xfers;
	while (x && !(x->out == out && x->tid == tid && (uint16_t)(out ? x->hdr.dlid : x->hdr.slid) == lid))
		x = x->next;
	return x;
}

static void rmpp_out(int agent, const struct msg *m)
{
	struct xfer *x = calloc(1, sizeof(*x)), *old;
	make_pkt(&x->hdr, m);
	x->out = 1;
	x->agent = agent;
	x->tid = TID48(x->hdr.mad);
	x->born = now();
	x->len = m->len - HDR > SA_HDR ? m->len - HDR - SA_HDR : 0;
	x->nseg = x->len ? (x->len + SEG - 1) / SEG : 1;
	x->data = malloc(x->len + 1);
	memcpy(x->data, m->b + HDR + SA_HDR, x->len);
	if ((old = find_xfer(1, x->tid, (uint16_t)x->hdr.dlid)))
		drop_xfer(old);		/* a retried query: start over */
	x->next = xfers;
	xfers = x;
	x->win = x->next_seg = 1;
	send_seg(x, x->next_seg++);
}

static void send_ack(const struct pkt *in, uint32_t seg, uint32_t win, int agent)
{
	struct pkt p = *in;
	p.dlid = (uint16_t)in->slid;
	p.slid = 0;
	p.dqp = in->sqp;
	p.sqp = htonl(agents[agent].qpn);
	p.status = 0;
	p.mad[3] ^= 0x80;
	p.mad[25] = 2;
	p.mad[26] = ACTIVE;
	p.mad[27] = 0;
	put32(p.mad + 28, seg);
	put32(p.mad + 32, win);
	memset(p.mad + SA_HDR, 0, SEG);
	send_pkt(&p);
}

/* returns 1 when the packet was consumed */
static int rmpp_in(const struct pkt *p, int agent)
{
	const uint8_t *m = p->mad;
	uint32_t seg = get32(m + 28), pay = get32(m + 32);
	struct xfer *x;
	struct pending *q;

	switch (R_TYPE(m)) {
	case 0:			/* stock umad2sim leaves the type unset */
	case 1: break;
	case 2:			/* ACK */
		if ((x = find_xfer(1, TID48(m), (uint16_t)p->slid))) {
			if (seg >= x->nseg)
				drop_xfer(x);
			else {
				if (pay > x->win)
					x->win = pay;
				while (x->next_seg <= x->win && x->next_seg <= x->nseg)
					send_seg(x, x->next_seg++);
			}
		}
		return 1;
	default:		/* STOP, ABORT */
		if ((x = find_xfer(1, TID48(m), (uint16_t)p->slid)) ||
		    (x = find_xfer(0, TID48(m), (uint16_t)p->slid)))
			drop_xfer(x);
		return 1;
	}
	if (!(R_FLAGS(m) & (FIRST | LAST)) && seg <= 1 && !find_xfer(0, TID48(m), (uint16_t)p->slid))
		return 0;	/* a peer without RMPP (stock umad2sim): only its first 200 bytes exist */
	if (M_RESP(m) && !(q = find_pending(TID48(m), M_CLASS(m), 0)))
		return 1;	/* nobody waits for it */
	if (M_RESP(m))
		q->due = now() + q->timeout;
	if ((x = find_xfer(0, TID48(m), (uint16_t)p->slid)) && seg == 1) {
		drop_xfer(x);
		x = NULL;
	}
	if (!x) {
		if (seg != 1)
			return 1;
		x = calloc(1, sizeof(*x));
		x->hdr = *p;
		x->agent = agent;
		x->tid = TID48(m);
		x->born = now();
		x->next_seg = x->win = 1;
		x->next = xfers;
		xfers = x;
	}
	if (seg != x->next_seg) {
		send_ack(p, x->next_seg - 1, x->win, agent);
		return 1;
	}
	x->next_seg++;
	size_t n = SEG;
	if (R_FLAGS(m) & LAST && pay >= RMPP_DATA - SEG && pay <= RMPP_DATA)
		n = pay - (RMPP_DATA - SEG);
	x->data = realloc(x->data, x->len + SEG);
	memcpy(x->data + x->len, m + SA_HDR, n);
	x->len += n;
	if (seg >= x->win || R_FLAGS(m) & LAST) {
		x->win = seg + WINDOW;
		send_ack(p, seg, x->win, agent);
	}
	if (R_FLAGS(m) & LAST) {
		uint8_t *all = malloc(SA_HDR + x->len);
		memcpy(all, x->hdr.mad, SA_HDR);
		memcpy(all + SA_HDR, x->data, x->len);
		if (M_RESP(m) && (q = find_pending(TID48(m), M_CLASS(m), 1)))
			free_pending(q);
		deliver(agent, p, 0, all, SA_HDR + x->len);
		free(all);
		drop_xfer(x);
	}
	return 1;
}

/* ---- packets from ibsim ---- */
static void receive(struct pkt *p)
{
	uint8_t *m = p->mad;
	int a = get64(m + 8) >> 32 & 0xff;
	struct pending *q;
	struct pkt again;

	if (!p->status)
		count(1, m);
	LOG("in  class %02x method %02x attr %04x status %d tid %llx\n", M_CLASS(m), M_METHOD(m),
	    m[16] << 8 | m[17], ntohl(p->status), (unsigned long long)get64(m + 8));
	if (p->status) {	/* ibsim hands an undeliverable packet straight back */
		if (M_RESP(m) || !(q = find_pending(TID48(m), M_CLASS(m), 0)))
			return;
		if (q->retries-- > 0) {
			make_pkt(&again, q->m);
			send_pkt(&again);
			return;
		}
		q = find_pending(TID48(m), M_CLASS(m), 1);
		if (agents[q->agent].f)
			deliver(q->agent, p, ETIMEDOUT, q->m->b + HDR, q->m->len - HDR);
		free_pending(q);
		return;
	}
	if (!M_RESP(m)) {	/* a request: by class and method mask */
		/* What a peer says of an answer has the method of its question. An agent that
		 * does RMPP itself gets it by its mask, one that does not by being one. */
		int is_ack = M_CLASS(m) == 3 && R_FLAGS(m) & ACTIVE && R_TYPE(m) == 2;
		for (a = 0; a < 64; a++)
			if (agents[a].f && agents[a].class == M_CLASS(m) &&
			    ((is_ack && agents[a].rmpp) ||
			     (agents[a].mask[M_METHOD(m) / 64 & 1] >> M_METHOD(m) % 64 & 1)))
				break;
	}
	if (a >= 64 || !agents[a].f) {
		LOG("no agent\n");
		return;
	}
	if (M_CLASS(m) == 3 && R_FLAGS(m) & ACTIVE && agents[a].rmpp && !no_rmpp && rmpp_in(p, a))
		return;
	if (M_RESP(m)) {
		if (!(q = find_pending(TID48(m), M_CLASS(m), 1)))
			return;	/* late or duplicate */
		free_pending(q);
	}
	deliver(a, p, 0, m, 256);
}

static void expire(int64_t t)
{
	struct pkt p;
	for (int i = 0; i < 4096; i++)
		for (struct pending **q = &pendings[i], *e; (e = *q);) {
			if (e->due > t) {
				q = &e->next;
				continue;
			}
			make_pkt(&p, e->m);
			if (e->retries-- > 0) {
				e->due = t + e->timeout;
				send_pkt(&p);
				q = &e->next;
				continue;
			}
			*q = e->next;
			p.slid = p.dlid;
			if (agents[e->agent].f)
				deliver(e->agent, &p, ETIMEDOUT, e->m->b + HDR, e->m->len - HDR);
			free_pending(e);
		}
	for (struct xfer *x = xfers, *n; x; x = n) {
		n = x->next;
		if (t - x->born > XFER_TTL)
			drop_xfer(x);
	}
}

#define TICK 50		/* ms between looks at the timeouts */

static void *io_thread(void *arg)
{
	struct pending *q;
	struct pkt p[16];
	uint64_t v;
	int64_t t, last = 0;
	int n;
	for (;;) {
		pthread_mutex_lock(&mx);
		while (txq && send(sock, &txq->p, sizeof(*p), MSG_DONTWAIT) == sizeof(*p)) {
			struct tx *x = txq;
			if ((q = find_pending(TID48(x->p.mad), M_CLASS(x->p.mad), 0)))
				q->due = now() + q->timeout;
			if (!(txq = x->next))
				txtail = &txq;
			free(x);
		}
		int more = txq != NULL;
		pthread_mutex_unlock(&mx);
		struct pollfd fds[2] = { { sock, POLLIN | (more ? POLLOUT : 0), 0 }, { wake, POLLIN, 0 } };
		poll(fds, 2, TICK);
		if (fds[1].revents && r_read(wake, &v, 8) < 0)
			LOG("wake: %m\n");
		for (n = 0; n < 16 && recv(sock, &p[n], sizeof(*p), MSG_DONTWAIT) == sizeof(*p); n++)
			;
		pthread_mutex_lock(&mx);
		for (int i = 0; i < n; i++)
			receive(&p[i]);
		if ((t = now()) - last >= TICK) {
			expire(t);
			last = t;
		}
		pthread_mutex_unlock(&mx);
	}
	return arg;
}

/* ---- start and stop ---- */
static int rm(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

/* What was written leaves, as from a kernel: ibsim forgets what it has not read of us when we
 * disconnect, and the peer would wait for our last acknowledgement. */
static void flush(void)
{
	int64_t end = now() + FLUSH_TTL;
	int left = 0, queued = 1;
	while ((queued || left) && now() < end) {
		pthread_mutex_lock(&mx);
		queued = txq != NULL;
		pthread_mutex_unlock(&mx);
		if (r_ioctl(sock, SIOCOUTQ, &left) < 0)
			left = 0;
		if (queued || left)
			usleep(200);
	}
}

static void finish(void)
{
	char z[64] = { 0 };
	flush();
	control(CTL_DISCONNECT, z, 0);
	if (strstr(root, "/sys-"))
		nftw(root, rm, 8, FTW_DEPTH | FTW_PHYS);
}

static void init(void)
{
	struct sockaddr_un a;
	struct info inf = { getpid(), 0, getenv("SIMUMAD_LISTEN") != NULL, "" };
	struct timeval tv = { 10, 0 };
	char *host = getenv("SIM_HOST"), buf[64] = { 0 };
	pthread_t th;

	pthread_mutex_lock(&init_mx);
	if (inited)
		goto out;
	debug = getenv("SIMUMAD_DEBUG") != NULL;
	open_counts();
	no_rmpp = getenv("SIMUMAD_NORMPP") != NULL;
	if (host)
		strncpy(inf.nodeid, host, 31);
	sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ctlfd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	setsockopt(ctlfd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	socklen_t n = addr(&a, ":ctl%d", getpid());
	if (bind(ctlfd, (void *)&a, n) < 0)
		goto fail;
	n = addr(&a, ":ctl");
	if (connect(ctlfd, (void *)&a, n) < 0)
		goto fail;
	n = addr(&a, ":in%d", getpid());
	if (bind(sock, (void *)&a, n) < 0)
		goto fail;
	memcpy(buf, &inf, sizeof(inf));
	if (control(CTL_CONNECT, buf, 64) < 0)
		goto fail;
	memcpy(&inf, buf, sizeof(inf));
	client = inf.id;
	n = addr(&a, ":out%d", client);
	if (connect(sock, (void *)&a, n) < 0)
		goto fail;
	control(CTL_GET_NODEINFO, nodeinfo, 64);
	snprintf(root, sizeof(root), "./sys-%d", getpid());
	char *cwd = realpath(".", NULL);
	if (cwd && strlen(cwd) < 40)
		snprintf(root, sizeof(root), "%s/sys-%d", cwd, getpid());
	free(cwd);
	put_sysfs();
	wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	pthread_create(&th, NULL, io_thread, NULL);
	atexit(finish);
	inited = 1;
out:
	pthread_mutex_unlock(&init_mx);
	return;
fail:
	fprintf(stderr, "simumad: cannot attach to ibsim \"%s\": %m\n", getenv("IBSIM_SOCKNAME"));
	_exit(1);
}

__attribute__((constructor)) static void load(void)
{
	pthread_mutexattr_t at;
	if (r_open)
		return;
	r_close = dlsym(RTLD_NEXT, "close");
	r_read = dlsym(RTLD_NEXT, "read");
	r_write = dlsym(RTLD_NEXT, "write");
	r_ioctl = dlsym(RTLD_NEXT, "ioctl");
	r_fopen = dlsym(RTLD_NEXT, "fopen");
	r_opendir = dlsym(RTLD_NEXT, "opendir");
	r_scandir = dlsym(RTLD_NEXT, "scandir");
	r_open = dlsym(RTLD_NEXT, "open");
	pthread_mutexattr_init(&at);
	pthread_mutexattr_settype(&at, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&init_mx, &at);
}

/* ---- libc wrappers ---- */
static const char *map(const char *path, char *buf, size_t n)
{
	load();
	if (!path || (strncmp(path, "/sys/class/infiniband", 21) && strncmp(path, "/dev/infiniband", 15)))
		return path;
	if (!inited)
		init();
	if (path[1] == 's' && strstr(path, "/ports/") && now() - fresh > 200)
		put_sysfs();
	snprintf(buf, n, "%s%s", root, path);
	return buf;
}

static struct ufile *ufile(int fd)	/* under mx */
{
	struct ufile *f = files;
	while (f && f->fd != fd)
		f = f->next;
	return f;
}

/* SIMUMAD_REFUSES: what the kernel refuses: to "open" the port (no permission), or an "agent"
   (somebody else is registered for the class). */
static int refuses(const char *what)
{
	const char *refused = getenv("SIMUMAD_REFUSES");
	return refused != NULL && !strcmp(refused, what);
}

static int do_open(const char *path, int flags, mode_t mode)
{
	char buf[512];
	int one = 1;
	const char *p = map(path, buf, sizeof(buf));
	if (p == path || strncmp(path, "/dev/infiniband/", 16))
		return r_open(p, flags, mode);
	if (!strcmp(path + 16, "issm0")) {
		uint8_t z[64] = { 0 };
		memcpy(z, &one, 4);
		control(CTL_SET_ISSM, z, 4);
		return issm_fd = eventfd(0, EFD_CLOEXEC);
	}
	if (strcmp(path + 16, "umad0")) {
		errno = ENOENT;
		return -1;
	}
	if (refuses("open")) {
		errno = EACCES;
		return -1;
	}
	struct ufile *f = calloc(1, sizeof(*f));
	f->fd = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK | (flags & O_CLOEXEC ? EFD_CLOEXEC : 0));
	f->nonblock = flags & O_NONBLOCK;
	f->tail = &f->head;
	pthread_mutex_init(&f->mx, NULL);
	pthread_mutex_lock(&mx);
	f->next = files;
	files = f;
	pthread_mutex_unlock(&mx);
	return f->fd;
}

#define OPEN(name, DIRARG) \
int name(DIRARG const char *path, int flags, ...) \
{ \
	va_list ap; \
	va_start(ap, flags); \
	mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0; \
	va_end(ap); \
	return do_open(path, flags, mode); \
}
OPEN(open,)
OPEN(open64,)

int openat(int dir, const char *path, int flags, ...)
{
	static int (*r)(int, const char *, int, ...);
	va_list ap;
	va_start(ap, flags);
	mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	if (path[0] == '/')
		return do_open(path, flags, mode);
	if (!r)
		r = dlsym(RTLD_NEXT, "openat");
	return r(dir, path, flags, mode);
}

int openat64(int dir, const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return openat(dir, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	char buf[512];
	const char *p = map(path, buf, sizeof(buf));
	return r_fopen(p, mode);
}

FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

DIR *opendir(const char *path)
{
	char buf[512];
	const char *p = map(path, buf, sizeof(buf));
	return r_opendir(p);
}

int scandir(const char *path, struct dirent ***l, int (*filter)(const struct dirent *),
	    int (*cmp)(const struct dirent **, const struct dirent **))
{
	char buf[512];
	const char *p = map(path, buf, sizeof(buf));
	return r_scandir(p, l, filter, cmp);
}

/* With 32 bits another function, for its entries have 64-bit offsets there. */
int scandir64(const char *path, struct dirent64 ***l, int (*filter)(const struct dirent64 *),
	      int (*cmp)(const struct dirent64 **, const struct dirent64 **))
{
	int (*r)(const char *, struct dirent64 ***, int (*)(const struct dirent64 *),
		 int (*)(const struct dirent64 **, const struct dirent64 **));
	char buf[512];
	const char *p = map(path, buf, sizeof(buf));
	r = dlsym(RTLD_NEXT, "scandir64");
	return r(p, l, filter, cmp);
}

int close(int fd)
{
	struct ufile *f = NULL;
	load();
	if (inited && fd >= 0) {
		if (fd == issm_fd) {
			uint8_t z[64] = { 0 };
			control(CTL_SET_ISSM, z, 4);
			issm_fd = -1;
		}
		pthread_mutex_lock(&mx);
		for (struct ufile **q = &files; (f = *q) && f->fd != fd; q = &f->next)
			;
		if (f) {
			for (struct ufile **q = &files; *q; q = &(*q)->next)
				if (*q == f) {
					*q = f->next;
					break;
				}
			for (int a = 0; a < 64; a++)
				if (agents[a].f == f)
					memset(&agents[a], 0, sizeof(agents[a]));
			for (struct msg *m; (m = f->head); free(m))
				f->head = m->next;
			free(f);
		}
		pthread_mutex_unlock(&mx);
	}
	return r_close(fd);
}

ssize_t read(int fd, void *buf, size_t count)
{
	uint64_t v;
	load();
	if (!files)
		return r_read(fd, buf, count);
	pthread_mutex_lock(&mx);
	struct ufile *f = ufile(fd);
	pthread_mutex_unlock(&mx);
	if (!f)
		return r_read(fd, buf, count);
	for (;;) {
		pthread_mutex_lock(&f->mx);
		struct msg *m = f->head;
		if (m && m->len <= count) {
			if (!(f->head = m->next))
				f->tail = &f->head;
			if (r_read(fd, &v, 8) < 0)
				LOG("token: %m\n");
		}
		pthread_mutex_unlock(&f->mx);
		if (m) {
			size_t n = m->len;
			memcpy(buf, m->b, n < count ? n : count);
			if (n > count) {	/* as the kernel: keep it, the length is in the header */
				errno = ENOSPC;
				return -1;
			}
			free(m);
			return n;
		}
		if (f->nonblock) {
			errno = EAGAIN;
			return -1;
		}
		struct pollfd p = { fd, POLLIN, 0 };
		poll(&p, 1, -1);
	}
}

ssize_t write(int fd, const void *buf, size_t count)
{
	load();
	if (!files)
		return r_write(fd, buf, count);
	pthread_mutex_lock(&mx);
	struct ufile *f = ufile(fd);
	if (!f) {
		pthread_mutex_unlock(&mx);
		return r_write(fd, buf, count);
	}
	const struct ib_user_mad_hdr *h = buf;
	int bad = count < HDR + 24 || h->id >= 64 || agents[h->id].f != f;
	if (!bad) {
		struct msg *m = malloc(sizeof(*m) + count);
		struct pkt p;
		uint8_t *mad = m->b + HDR;
		m->len = count;
		memcpy(m->b, buf, count);
		if (!M_RESP(mad))	/* the agent number rides in TID bits 32..47 */
			put64(mad + 8, (get64(mad + 8) & 0xffff0000ffffffffULL) | (uint64_t)h->id << 32);
		LOG("out class %02x method %02x attr %04x len %zu tid %llx\n", M_CLASS(mad), M_METHOD(mad),
		    mad[16] << 8 | mad[17], count - HDR, (unsigned long long)get64(mad + 8));
		if (M_CLASS(mad) == 3 && R_FLAGS(mad) & ACTIVE && agents[h->id].rmpp && !no_rmpp)
			rmpp_out(h->id, m);
		else {
			make_pkt(&p, m);
			send_pkt(&p);
		}
		if (h->timeout_ms && !M_RESP(mad)) {
			struct pending *q = calloc(1, sizeof(*q));
			q->tid = TID48(mad);
			q->agent = h->id;
			q->retries = h->retries;
			q->timeout = h->timeout_ms;
			q->due = now() + h->timeout_ms;
			q->m = m;
			q->next = *BUCKET(q->tid);
			*BUCKET(q->tid) = q;
		} else
			free(m);
	}
	pthread_mutex_unlock(&mx);
	if (bad) {
		errno = EINVAL;
		return -1;
	}
	return count;
}

static int reg(struct ufile *f, uint8_t class, uint8_t ver, uint8_t rmpp, uint32_t qpn, const uint64_t mask[2])
{
	for (int a = 0; a < 64; a++)
		if (!agents[a].f) {
			agents[a] = (struct agent){ f, class, ver, rmpp, qpn, { mask[0], mask[1] } };
			LOG("agent %d class %02x rmpp %d mask %llx\n", a, class, rmpp, (unsigned long long)mask[0]);
			return a;
		}
	return -1;
}

int ioctl(int fd, unsigned long req, ...)
{
	va_list ap;
	va_start(ap, req);
	void *arg = va_arg(ap, void *);
	va_end(ap);
	load();
	pthread_mutex_lock(&mx);
	struct ufile *f = files ? ufile(fd) : NULL;
	int a = 0;
	if (!f) {
		pthread_mutex_unlock(&mx);
		return r_ioctl(fd, req, arg);
	}
	if (req == IB_USER_MAD_REGISTER_AGENT) {
		struct ib_user_mad_reg_req *r = arg;
		uint64_t mask[2];
		memcpy(mask, r->method_mask, 16);
		if ((a = reg(f, r->mgmt_class, r->mgmt_class_version, r->rmpp_version, r->qpn, mask)) >= 0)
			r->id = a;
	} else if (req == IB_USER_MAD_REGISTER_AGENT2) {
		struct ib_user_mad_reg_req2 *r = arg;
		uint64_t mask[2] = { r->method_mask[0], r->method_mask[1] };
		int user = r->flags & IB_USER_MAD_USER_RMPP;
		if ((a = reg(f, r->mgmt_class, r->mgmt_class_version, user ? 0 : r->rmpp_version, r->qpn, mask)) >= 0)
			r->id = a;
	} else if (req == IB_USER_MAD_UNREGISTER_AGENT) {
		uint32_t id = *(uint32_t *)arg;
		if (id < 64 && agents[id].f == f)
			memset(&agents[id], 0, sizeof(agents[id]));
		else
			a = -1;
	} else if (req != IB_USER_MAD_ENABLE_PKEY)
		a = -1;
	pthread_mutex_unlock(&mx);
	if (a < 0 || (req != IB_USER_MAD_UNREGISTER_AGENT && refuses("agent"))) {
		errno = EINVAL;
		return -1;
	}
	return 0;
}

import Foundation
import Testing

/// Clients that do not complete their SOCKS handshakes.
@Suite(.timeLimit(.minutes(5)))
struct SOCKSCrowdTests {
    /// Opens connections that send half a handshake, prints a line when all are open, and another
    /// one with the number that the proxy closed, and how long the last of them took.
    private static let half = """
        import resource, select, socket, sys, time
        port, count = int(sys.argv[1]), int(sys.argv[2])
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 100), hard))
        halves = [b'\\x05', b'\\x05\\x01',
                  b'\\x05\\x01\\x00\\x05\\x01\\x00\\x03\\xff', b'\\x04\\x01\\x00']
        began = time.monotonic()
        poll = select.epoll()
        clients = {}
        for number in range(count):
            client = socket.create_connection(('127.0.0.1', port))
            client.sendall(halves[number % len(halves)])
            client.setblocking(False)
            clients[client.fileno()] = client
            poll.register(client.fileno(), select.EPOLLIN)
        print('open', flush=True)
        closed = 0
        while clients and time.monotonic() - began < 60:
            for number, _ in poll.poll(1):
                try:
                    data = clients[number].recv(100)
                except ConnectionError:
                    data = b''
                if not data:
                    poll.unregister(number)
                    clients.pop(number).close()
                    closed += 1
        print(closed, int(1000 * (time.monotonic() - began)), flush=True)
        sys.stdin.read()
        """

    @Test func `two thousand incomplete SOCKS handshakes time out while other clients are served`()
        throws
    {
        let origin = try Origin()
        let socks = try SOCKSDaemon("[timeouts]\nrequest_head_s = 3\n")
        #expect(try socks.curl("socks5h", origin.url("/echo")).status == 0)
        let before = try socks.daemon.residentKiB()
        let crowd = try Service(
            "/usr/bin/python3", ["-c", Self.half, String(socks.port), "2000"])
        #expect(try crowd.readLine() == "open")
        let grown = try socks.daemon.residentKiB() - before
        #expect(grown < 32 << 10, "\(grown) KiB")
        for _ in 0..<10 {
            let outcome = try socks.curl("socks5h", "--max-time", "5", origin.url("/echo"))
            #expect(outcome.status == 0, "\(outcome)")
        }
        let words = try crowd.readLine().split(separator: " ").compactMap { Int($0) }
        try #require(words.count == 2)
        #expect(words[0] == 2_000)
        // Deadlines are examined every second, and the machine has other things to do.
        #expect(words[1] >= 3_000 && words[1] < 30_000, "\(words[1]) ms")
        let rows = try socks.daemon.rows("error:SOCKS", count: 1)
        #expect(rows.first?.text("error")?.contains("in time") == true)
        #expect(try socks.curl("socks5h", origin.url("/echo")).status == 0)
    }

    /// Sends the user name of SOCKS 4 a byte at a time, and prints how many bytes it took until the
    /// proxy closed the connection, and how long.
    private static let slow = """
        import select, socket, sys, time
        began = time.monotonic()
        client = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
        client.sendall(b'\\x04\\x01\\x00\\x50\\x7f\\x00\\x00\\x01')
        count = 0
        while not select.select([client], [], [], 0.1)[0] and count < 250:
            client.sendall(b'a')
            count += 1
        print(count, int(1000 * (time.monotonic() - began)), flush=True)
        """

    @Test func `a SOCKS handshake that is sent byte by byte times out`() throws {
        let socks = try SOCKSDaemon("[timeouts]\nrequest_head_s = 1\n")
        let outcome = try Tool.run("/usr/bin/python3", ["-c", Self.slow, String(socks.port)])
        let words = outcome.text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        try #require(words.count == 2, "\(outcome)")
        #expect(words[0] > 1 && words[0] < 250)
        #expect(words[1] >= 1_000 && words[1] < 20_000, "\(words[1]) ms")
        let row = try socks.daemon.row()
        #expect(row.text("error")?.contains("in time") == true, "\(row)")
    }
}

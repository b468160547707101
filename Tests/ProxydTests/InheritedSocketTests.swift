import Foundation
import Testing

@testable import proxyd

struct InheritedSocketTests {
    @Test func `a socket inherited from systemd keeps its name and gets the close-on-exec flag`()
        throws
    {
        let listener = try listeningSocket()
        defer { close(listener) }
        let found = InheritedSocket.all(
            environment: ["LISTEN_PID": "7", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "web"],
            processID: 7,
            from: listener
        )
        #expect(found == [InheritedSocket(descriptor: listener, name: "web")])
        #expect(fcntl(listener, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test func `a socket inherited from systemd without a name is given the name 'unknown'`() throws
    {
        let listener = try listeningSocket()
        defer { close(listener) }
        let found = InheritedSocket.all(
            environment: ["LISTEN_PID": "7", "LISTEN_FDS": "1"],
            processID: 7,
            from: listener
        )
        #expect(found.map(\.name) == ["unknown"])
    }

    @Test func `an inherited descriptor that is not a listening socket is ignored`() throws {
        let idle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(idle) }
        let found = InheritedSocket.all(
            environment: ["LISTEN_PID": "7", "LISTEN_FDS": "1"],
            processID: 7,
            from: idle
        )
        #expect(found.isEmpty)
    }

    @Test(arguments: [
        [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "8", "LISTEN_FDS": "1"],
        ["LISTEN_PID": "7", "LISTEN_FDS": "0"], ["LISTEN_PID": "7", "LISTEN_FDS": "-1"],
        ["LISTEN_PID": "7", "LISTEN_FDS": "x"], ["LISTEN_PID": "7", "LISTEN_FDS": "99999999"],
    ])
    func `inherited sockets are ignored if LISTEN_PID or LISTEN_FDS is missing, wrong or invalid`(
        environment: [String: String]
    ) throws {
        let listener = try listeningSocket()
        defer { close(listener) }
        #expect(
            InheritedSocket.all(environment: environment, processID: 7, from: listener).isEmpty
        )
    }

    private func listeningSocket() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        // Unbound, listen chooses a free port.
        try #require(listen(descriptor, 1) == 0)
        return descriptor
    }
}

import Foundation
import ProxydTestSupport

/// Ports for programs that cannot choose one themselves: others may take them in between.
enum FreePort {
    static func find() throws -> Int {
        let script = """
            import socket
            print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])
            """
        let printed = try Tool.run("/usr/bin/python3", ["-c", script]).text
        return Int(printed.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }
}

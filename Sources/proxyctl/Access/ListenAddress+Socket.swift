internal import Glibc
internal import ProxydDaemonConfiguration
internal import ProxydEventLoops

extension ListenAddress {
    /// Listens on the address, for a server of this program.
    func listen() throws -> ListeningSocket {
        do throws(StreamError) {
            guard let endpoint = SocketAddress(ip: ip, port: port) else {
                throw StreamError(errorNumber: EINVAL)
            }
            return try ListeningSocket(address: endpoint)
        } catch {
            throw CommandFailure("cannot listen on \(text): \(error)")
        }
    }
}

extension EventLoopGroup {
    /// Starts one loop, with an error for users.
    static func ofCommand() throws -> EventLoopGroup {
        do throws(StreamError) {
            return try EventLoopGroup(count: 1)
        } catch {
            throw CommandFailure("\(error)")
        }
    }
}

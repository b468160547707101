@testable import proxyctl
import Synchronization

/// Output that a test looks at.
final class MemorySink: ByteSink {
    private let octets = Mutex<[UInt8]>([])

    var all: [UInt8] { octets.withLock { $0 } }
    var text: String { String(decoding: all, as: UTF8.self) }
    var failure: Int32? { nil }

    func write(_ octets: [UInt8]) { self.octets.withLock { $0 += octets } }
    func flush() {}
}

@testable import proxyctl
import Synchronization

/// Output that a test looks at.
final class MemorySink: ByteSink {
    private let bytes = Mutex<[UInt8]>([])

    var all: [UInt8] { bytes.withLock { $0 } }
    var text: String { String(decoding: all, as: UTF8.self) }
    var failure: Int32? { nil }

    func write(_ bytes: [UInt8]) { self.bytes.withLock { $0 += bytes } }
    func flush() {}
}

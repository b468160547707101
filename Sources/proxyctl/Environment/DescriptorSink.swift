internal import Glibc
internal import ProxydSystem
internal import Synchronization

/// Writes bytes to an open descriptor, in few large writes.
final class DescriptorSink: ByteSink {
    private struct State: Sendable {
        var waiting: [UInt8] = []
        var failure: Int32?
    }

    private static let bufferByteCount = 64 << 10
    private let descriptor: Int32
    private let state = Mutex(State())

    init(descriptor: Int32) { self.descriptor = descriptor }

    var failure: Int32? { state.withLock { $0.failure } }

    func write(_ bytes: [UInt8]) {
        state.withLock { state in
            state.waiting += bytes
            if state.waiting.count >= DescriptorSink.bufferByteCount { drain(&state) }
        }
    }

    func flush() { state.withLock { drain(&$0) } }

    private func drain(_ state: inout State) {
        if state.failure == nil {
            do throws(SystemError) {
                try FullWrite.write(state.waiting, to: descriptor)
            } catch {
                state.failure = error.number
            }
        }
        state.waiting.removeAll(keepingCapacity: true)
    }
}

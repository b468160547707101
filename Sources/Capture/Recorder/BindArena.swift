/// Memory that holds the values of a statement until it has run. This is cheaper than letting
/// SQLite copy each value into its own allocation.
final class BindArena {
    private static let byteCount = 64 << 10
    private let base: UnsafeMutableRawPointer
    private var used = 0
    /// Separate allocations for values that did not fit.
    private var others: [UnsafeMutableRawPointer] = []

    init() { base = .allocate(byteCount: BindArena.byteCount, alignment: 16) }

    deinit {
        reset()
        base.deallocate()
    }

    /// Releases all values.
    func reset() {
        used = 0
        guard !others.isEmpty else { return }
        for other in others { other.deallocate() }
        others = []
    }

    /// Copies bytes to memory that stays valid until `reset()`.
    func hold(_ bytes: Span<UInt8>) -> UnsafeRawBufferPointer {
        bytes.withUnsafeBytes { source in
            let start = room(byteCount: source.count)
            if let address = source.baseAddress {
                start.copyMemory(from: address, byteCount: source.count)
            }
            return UnsafeRawBufferPointer(start: start, count: source.count)
        }
    }

    /// Binds a text that is copied into the arena; nil is NULL.
    func bindText(_ statement: SQLiteStatement, _ index: Int32, _ text: String?) {
        guard let text else { return statement.bindNull(index) }
        statement.bind(index, hold(text.utf8Span.span), isText: true)
    }

    private func room(byteCount: Int) -> UnsafeMutableRawPointer {
        guard byteCount <= BindArena.byteCount - used else {
            let other = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
            others.append(other)
            return other
        }
        defer { used += byteCount }
        return base + used
    }
}

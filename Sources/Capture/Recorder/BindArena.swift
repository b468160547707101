/// A stretch of memory that the values of a statement are laid out in until it ran: cheaper than
/// having SQLite copy each value into an allocation of its own.
final class BindArena {
    private static let byteCount = 64 << 10
    private let base: UnsafeMutableRawPointer
    private var used = 0
    /// What had no room.
    private var others: [UnsafeMutableRawPointer] = []

    init() { base = .allocate(byteCount: BindArena.byteCount, alignment: 16) }

    deinit {
        reset()
        base.deallocate()
    }

    /// Forgets what was held.
    func reset() {
        used = 0
        guard !others.isEmpty else { return }
        for other in others { other.deallocate() }
        others = []
    }

    /// Copies octets to where they stay until `reset()`.
    func hold(_ octets: Span<UInt8>) -> UnsafeRawBufferPointer {
        octets.withUnsafeBytes { source in
            let start = room(byteCount: source.count)
            if let address = source.baseAddress {
                start.copyMemory(from: address, byteCount: source.count)
            }
            return UnsafeRawBufferPointer(start: start, count: source.count)
        }
    }

    /// Binds text.
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

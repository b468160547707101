internal import HTTPModel

/// A stretch of memory that the values of a statement are laid out in until it ran: cheaper than
/// having SQLite copy each value into an allocation of its own.
final class BindArena {
    private static let byteCount = 64 << 10
    private let base: UnsafeMutableRawPointer
    private var used = 0

    init() { base = .allocate(byteCount: BindArena.byteCount, alignment: 16) }

    deinit { base.deallocate() }

    /// Forgets the last statement's values.
    func reset() { used = 0 }

    /// Binds octets; what has no room here is copied by SQLite.
    func bind(
        _ statement: SQLiteStatement, _ index: Int32, _ octets: Span<UInt8>, isText: Bool
    ) {
        octets.withUnsafeBytes { source in
            guard source.count <= BindArena.byteCount - used else {
                return statement.bindCopy(index, source, isText: isText)
            }
            let start = base + used
            if let address = source.baseAddress {
                start.copyMemory(from: address, byteCount: source.count)
            }
            used += source.count
            statement.bind(
                index, UnsafeRawBufferPointer(start: start, count: source.count), isText: isText)
        }
    }

    /// Binds wire octets as a blob.
    func bindBlob(_ statement: SQLiteStatement, _ index: Int32, _ octets: [UInt8]) {
        bind(statement, index, octets.span, isText: false)
    }

    /// Binds text; nil is NULL.
    func bindText(_ statement: SQLiteStatement, _ index: Int32, _ text: String?) {
        guard let text else { return statement.bindNull(index) }
        bind(statement, index, text.utf8Span.span, isText: true)
    }

    /// Binds wire octets as text: as they are where they are ASCII, else as `text` reads them.
    func bindText(
        _ statement: SQLiteStatement, _ index: Int32, _ octets: ArraySlice<UInt8>?,
        otherwise text: (ArraySlice<UInt8>) -> String
    ) {
        guard let octets else { return statement.bindNull(index) }
        if BindArena.isPlain(octets.span) {
            bind(statement, index, octets.span, isText: true)
        } else {
            bindText(statement, index, text(octets))
        }
    }

    private static func isPlain(_ octets: Span<UInt8>) -> Bool {
        octets.withUnsafeBufferPointer { octets in
            var all: UInt8 = 0
            for octet in octets { all |= octet }
            return all < 0x80
        }
    }
}

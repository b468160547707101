internal import ProxydSystem
internal import Glibc

/// What `proxyship serve --stdio` and the program that started it say to each other: statements in
/// one direction, their results in the other.
///
/// A message is its length without itself (4 bytes, big-endian), its kind (1 byte) and its
/// contents. Numbers are big-endian; a text or value is its length (4 bytes; -1 for NULL) and its
/// bytes.
package enum WireMessage: Sendable, Hashable {
    case run(sql: String, arguments: [WireArgument], hasTextResults: Bool)
    /// End the statement that is running.
    case cancel
    /// The server is connected.
    case ready
    /// The columns of a result, before its rows.
    case columns([CentralRow.Column])
    case row([[UInt8]?])
    /// The statement ended, and returned or changed this many rows.
    case done(Int64)
    case failed(CentralError)

    /// The longest message that is accepted, in bytes: PostgreSQL's longest value.
    package static let byteCountMax = 1 << 30

    /// The message with its length.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendSized(append)
        return bytes
    }

    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .run(let sql, let arguments, let hasTextResults):
            bytes.append(1)
            bytes.append(hasTextResults ? 1 : 0)
            bytes.append(wire: Array(sql.utf8))
            bytes.append(bigEndian: Int32(clamping: arguments.count))
            for argument in arguments {
                bytes.append(bigEndian: argument.type)
                bytes.append(wire: argument.value)
            }
        case .cancel: bytes.append(2)
        case .ready: bytes.append(3)
        case .columns(let columns):
            bytes.append(4)
            bytes.append(bigEndian: Int32(clamping: columns.count))
            for column in columns {
                bytes.append(bigEndian: column.type)
                bytes.append(wire: Array(column.name.utf8))
            }
        case .row(let values):
            bytes.append(5)
            bytes.append(bigEndian: Int32(clamping: values.count))
            for value in values { bytes.append(wire: value) }
        case .done(let count):
            bytes.append(6)
            bytes.append(bigEndian: count)
        case .failed(let error):
            bytes.append(7)
            bytes.append(wire: error)
        }
    }

    /// Decodes a message without its length; nil if it is malformed.
    package init?(_ bytes: [UInt8]) {
        var reader = WireMessageReader(bytes)
        guard let kind = reader.byte(), let message = WireMessage.read(kind, &reader),
            reader.isAtEnd
        else { return nil }
        self = message
    }

    private static func read(_ kind: UInt8, _ reader: inout WireMessageReader) -> WireMessage? {
        switch kind {
        case 1:
            guard let flag = reader.byte(), flag <= 1, let sql = reader.text(),
                let arguments = reader.list({ reader -> WireArgument? in
                    reader.uint32().flatMap { type in
                        reader.value().map { WireArgument(type: type, value: $0) }
                    }
                })
            else { return nil }
            return .run(sql: sql, arguments: arguments, hasTextResults: flag == 1)
        case 2: return .cancel
        case 3: return .ready
        case 4:
            return reader.list { reader -> CentralRow.Column? in
                reader.uint32().flatMap { type in
                    reader.text().map { CentralRow.Column(name: $0, type: type) }
                }
            }.map { .columns($0) }
        case 5: return reader.list { $0.value() }.map { .row($0) }
        case 6: return reader.int64().map { .done($0) }
        case 7: return reader.error().map { .failed($0) }
        default: return nil
        }
    }
}

/// The value of a parameter in PostgreSQL's binary format.
package struct WireArgument: Sendable, Hashable {
    /// The number of the type in `pg_type`.
    package let type: UInt32
    /// Nil for NULL.
    package let value: [UInt8]?

    package init(type: UInt32, value: [UInt8]?) {
        self.type = type
        self.value = value
    }
}

extension [UInt8] {
    fileprivate mutating func append(wire value: [UInt8]?) {
        guard let value else { return append(bigEndian: Int32(-1)) }
        append(bigEndian: Int32(clamping: value.count))
        append(contentsOf: value)
    }

    fileprivate mutating func append(wire error: CentralError) {
        let parts: (UInt8, String, String) =
            switch error {
            case .location(let message): (1, "", message)
            case .connection(let message): (2, "", message)
            case .server(let code, let message): (3, code, message)
            case .cancelled: (4, "", "")
            }
        append(parts.0)
        append(wire: Array(parts.1.utf8))
        append(wire: Array(parts.2.utf8))
    }
}

private struct WireMessageReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func uint32() -> UInt32? {
        guard bytes.count - position >= 4 else { return nil }
        defer { position += 4 }
        return bytes[position..<(position + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func int64() -> Int64? {
        guard bytes.count - position >= 8 else { return nil }
        defer { position += 8 }
        return bytes[position..<(position + 8)].reduce(0) { $0 << 8 | Int64($1) }
    }

    /// A value; the inner nil is NULL.
    mutating func value() -> [UInt8]?? {
        guard let length = uint32() else { return nil }
        if length == .max { return .some(nil) }
        guard Int(length) <= bytes.count - position else { return nil }
        defer { position += Int(length) }
        return Array(bytes[position..<(position + Int(length))])
    }

    mutating func text() -> String? {
        guard let value = value(), let bytes = value else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    mutating func list<Element>(_ element: (inout WireMessageReader) -> Element?) -> [Element]? {
        guard let count = uint32() else { return nil }
        var elements: [Element] = []
        for _ in 0..<count {
            guard let one = element(&self) else { return nil }
            elements.append(one)
        }
        return elements
    }

    mutating func error() -> CentralError? {
        guard let kind = byte(), let code = text(), let message = text() else { return nil }
        switch kind {
        case 1: return .location(message)
        case 2: return .connection(message)
        case 3: return .server(code: code, message: message)
        case 4: return .cancelled
        default: return nil
        }
    }
}

/// Reads and writes messages on descriptors; blocks.
package enum WirePipe {
    /// Reads the next message; nil at the end, or if the bytes are not a message.
    package static func read(_ descriptor: Int32) -> WireMessage? {
        guard let head = bytes(descriptor, count: 4) else { return nil }
        let length = head.reduce(0) { $0 << 8 | Int($1) }
        guard length <= WireMessage.byteCountMax, let rest = bytes(descriptor, count: length)
        else { return nil }
        return WireMessage(rest)
    }

    /// Writes a message; false if no one reads anymore.
    package static func write(_ message: WireMessage, to descriptor: Int32) -> Bool {
        write(message.encoded, to: descriptor)
    }

    /// Writes messages that are encoded; false if no one reads anymore.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        do throws(SystemError) {
            try FullWrite.write(bytes, to: descriptor)
            return true
        } catch {
            return false
        }
    }

    private static func bytes(_ descriptor: Int32, count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        // In pieces: the length comes from the other side.
        var piece = [UInt8](repeating: 0, count: min(count, 1 << 16))
        while bytes.count < count {
            let wanted = min(piece.count, count - bytes.count)
            let found = piece.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, wanted)
            }
            if found < 0, errno == EINTR { continue }
            guard found > 0 else { return nil }
            bytes += piece[..<found]
        }
        return bytes
    }
}

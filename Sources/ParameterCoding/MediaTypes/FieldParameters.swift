/// Parses the `; name=value` parameters of a field value such as Content-Type or
/// Content-Disposition (RFC 9110 §5.6.6, RFC 8187), as leniently as browsers and clients write
/// them.
struct FieldParameters {
    struct Parameter {
        /// The parameter's name in lower case.
        let name: String
        /// The value, unquoted and unescaped.
        let value: [UInt8]
    }

    private(set) var parameters: [Parameter] = []

    /// Parses the parameters of a field value; `start` is the position of its first `;`, if any.
    init(_ bytes: Span<UInt8>, from start: Int) {
        var index = start
        while index < bytes.count {
            guard bytes[index] == 0x3B else {
                index &+= 1
                continue
            }
            index = FieldParameters.skipBlanks(bytes, index &+ 1)
            let nameStart = index
            while index < bytes.count, Byte.isToken(bytes[index]) { index &+= 1 }
            let name = bytes.extracting(nameStart..<index)
            index = FieldParameters.skipBlanks(bytes, index)
            guard !name.isEmpty, index < bytes.count, bytes[index] == 0x3D else { continue }
            index = FieldParameters.skipBlanks(bytes, index &+ 1)
            let value = FieldParameters.value(bytes, &index)
            parameters.append(
                Parameter(name: FieldParameters.lowercased(name), value: value)
            )
        }
    }

    /// The value of the first parameter with a name in lower case.
    subscript(name: String) -> [UInt8]? {
        parameters.first { $0.name == name }?.value
    }

    static func lowercased(_ bytes: Span<UInt8>) -> String {
        bytes.withUnsafeBufferPointer { source in
            String(unsafeUninitializedCapacity: source.count) { target in
                for index in source.indices {
                    target.initializeElement(at: index, to: Byte.lowercased(source[index]))
                }
                return source.count
            }
        }
    }

    private static func skipBlanks(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var index = start
        while index < bytes.count, Byte.isBlank(bytes[index]) { index &+= 1 }
        return index
    }

    private static func value(_ bytes: Span<UInt8>, _ index: inout Int) -> [UInt8] {
        if index < bytes.count, bytes[index] == 0x22 {
            index &+= 1
            return quoted(bytes, &index)
        }
        let start = index
        while index < bytes.count, bytes[index] != 0x3B { index &+= 1 }
        var end = index
        while end > start, Byte.isBlank(bytes[end &- 1]) { end &-= 1 }
        return owned(bytes.extracting(start..<end))
    }

    /// A quotation mark ends the value only if the parameter can end there: some clients do not
    /// escape inner quotation marks. A mark after an odd number of backslashes is escaped unless it
    /// must be the closing one. If no mark is escaped, backslashes are literal: browsers do not
    /// escape them.
    private static func quoted(_ bytes: Span<UInt8>, _ index: inout Int) -> [UInt8] {
        let start = index
        var hasEscapes = false
        var backslashCount = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x22 {
                if backslashCount.isMultiple(of: 2) || isClosing(bytes, markAt: index) {
                    let next = skipBlanks(bytes, index &+ 1)
                    if next == bytes.count || bytes[next] == 0x3B {
                        let value = bytes.extracting(start..<index)
                        index = next
                        return hasEscapes ? unescaped(value) : owned(value)
                    }
                } else {
                    hasEscapes = true
                }
            }
            backslashCount = byte == 0x5C ? backslashCount &+ 1 : 0
            index &+= 1
        }
        let value = bytes.extracting(start..<index)
        return hasEscapes ? unescaped(value) : owned(value)
    }

    private static func owned(_ bytes: Span<UInt8>) -> [UInt8] {
        bytes.withUnsafeBufferPointer { Array($0) }
    }

    /// The bytes without the backslash before `"` and `\`.
    private static func unescaped(_ bytes: Span<UInt8>) -> [UInt8] {
        var unescaped: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let next = index &+ 1
            if bytes[index] == 0x5C, next < bytes.count,
                bytes[next] == 0x5C || bytes[next] == 0x22
            {
                index = next
            }
            unescaped.append(bytes[index])
            index &+= 1
        }
        return unescaped
    }

    /// Whether the mark after a backslash is the last byte, or is followed by `; name="` or `;
    /// name*=`: an escaped one would be followed by the closing mark or by other escaped marks.
    private static func isClosing(_ bytes: Span<UInt8>, markAt mark: Int) -> Bool {
        var index = skipBlanks(bytes, mark &+ 1)
        guard index < bytes.count else { return true }
        guard bytes[index] == 0x3B else { return false }
        index = skipBlanks(bytes, index &+ 1)
        let nameStart = index
        while index < bytes.count, Byte.isToken(bytes[index]) { index &+= 1 }
        guard index > nameStart, index &+ 1 < bytes.count, bytes[index] == 0x3D else {
            return false
        }
        return bytes[index &- 1] == 0x2A || bytes[index &+ 1] == 0x22
    }
}

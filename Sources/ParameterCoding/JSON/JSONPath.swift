/// The path to the current value, stored as bytes so that a step needs no allocation.
struct JSONPath {
    private struct Frame {
        /// The length of the path to the container itself.
        let baseByteCount: Int
        let isObject: Bool
        var childCount = 0
    }

    /// The first `byteCount` bytes are the path; the rest is left over from longer paths, so that
    /// returning to a container costs nothing.
    private var bytes: [UInt8] = []
    private var byteCount = 0
    private var frames: [Frame] = []

    /// The path of the next or the last value.
    var text: String {
        bytes.withUnsafeBufferPointer {
            String(decoding: $0[..<min(byteCount, $0.count)], as: UTF8.self)
        }
    }

    /// Whether the path of the next or the last value equals this one.
    func isAt(_ wanted: [UInt8]) -> Bool {
        byteCount == wanted.count && bytes.prefix(byteCount).elementsEqual(wanted)
    }

    /// Moves to the member with a name in UTF-8.
    mutating func enterMember(_ name: Span<UInt8>) {
        let top = frames.count &- 1
        guard top >= 0 else { return }
        frames[top].childCount &+= 1
        byteCount = frames[top].baseByteCount
        guard JSONPath.isPlain(name) else { return appendQuoted(name) }
        if byteCount > 0 { append(0x2E) }
        append(name)
    }

    /// Whether a name needs no quotes: no byte of it would be parsed as part of the path.
    private static func isPlain(_ name: Span<UInt8>) -> Bool {
        for index in name.indices {
            switch name[index] {
            case 0x22, 0x2E, 0x5B, 0x5D: return false
            default: continue
            }
        }
        return !name.isEmpty
    }

    /// The name as a JSON string in brackets: `["a.b"]`.
    private mutating func appendQuoted(_ name: Span<UInt8>) {
        var quoted = Array("[\"".utf8)
        JSONStringText.append(
            name.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) },
            escapingSlashes: false, escapingLineSeparators: false, to: &quoted)
        quoted += "\"]".utf8
        append(quoted.span)
    }

    /// Moves to the next element if the container is an array; for an object, `enterMember` has
    /// already moved.
    mutating func enterElement() {
        let top = frames.count &- 1
        guard top >= 0, !frames[top].isObject else { return }
        byteCount = frames[top].baseByteCount
        append(0x5B)
        appendDecimal(frames[top].childCount)
        append(0x5D)
        frames[top].childCount &+= 1
    }

    mutating func beginContainer(isObject: Bool) {
        enterElement()
        frames.append(Frame(baseByteCount: byteCount, isObject: isObject))
    }

    /// Leaves the container; returns true if it was empty.
    mutating func endContainer() -> Bool {
        guard let frame = frames.popLast() else { return false }
        byteCount = frame.baseByteCount
        return frame.childCount == 0
    }

    private mutating func append(_ byte: UInt8) {
        if byteCount < bytes.count {
            bytes[byteCount] = byte
        } else {
            bytes.append(byte)
        }
        byteCount &+= 1
    }

    private mutating func append(_ name: Span<UInt8>) {
        let end = byteCount &+ name.count
        if bytes.count < end {
            bytes.append(contentsOf: repeatElement(0, count: end &- bytes.count))
        }
        let start = byteCount
        bytes.withUnsafeMutableBytes { target in
            let place = UnsafeMutableRawBufferPointer(rebasing: target[start..<end])
            name.withUnsafeBytes { place.copyMemory(from: $0) }
        }
        byteCount = end
    }

    private mutating func appendDecimal(_ number: Int) {
        if number < 10 {
            append(0x30 &+ UInt8(truncatingIfNeeded: number))
        } else {
            for digit in String(number).utf8 { append(digit) }
        }
    }
}

/// The path to the value being read, kept as octets so that a step costs no allocation.
struct JSONPath {
    private struct Frame {
        /// Octets of the path to the container itself.
        let baseByteCount: Int
        let isObject: Bool
        var childCount = 0
    }

    private var octets: [UInt8] = []
    private var frames: [Frame] = []

    /// The path of the value that comes next, or came last.
    var text: String { String(decoding: octets, as: UTF8.self) }

    /// Steps to the member whose name `append` writes.
    mutating func enterMember(_ append: (inout [UInt8]) -> Void) {
        guard let top = frames.indices.last else { return }
        frames[top].childCount &+= 1
        truncate(to: frames[top].baseByteCount)
        if !octets.isEmpty { octets.append(0x2E) }
        append(&octets)
    }

    /// Steps to the next element when the container is an array; a member was stepped to already.
    mutating func enterElement() {
        guard let top = frames.indices.last, !frames[top].isObject else { return }
        truncate(to: frames[top].baseByteCount)
        octets.append(0x5B)
        appendDecimal(frames[top].childCount)
        octets.append(0x5D)
        frames[top].childCount &+= 1
    }

    mutating func beginContainer(isObject: Bool) {
        enterElement()
        frames.append(Frame(baseByteCount: octets.count, isObject: isObject))
    }

    /// Leaves the container; true when nothing was in it.
    mutating func endContainer() -> Bool {
        guard let frame = frames.popLast() else { return false }
        truncate(to: frame.baseByteCount)
        return frame.childCount == 0
    }

    private mutating func truncate(to byteCount: Int) {
        octets.removeLast(octets.count &- byteCount)
    }

    private mutating func appendDecimal(_ number: Int) {
        if number < 10 {
            octets.append(0x30 &+ UInt8(truncatingIfNeeded: number))
        } else {
            octets.append(contentsOf: String(number).utf8)
        }
    }
}

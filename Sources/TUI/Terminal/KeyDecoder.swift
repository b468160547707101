/// Octets of a terminal as keys, mouse events and pasted text. No clock inside: who reads calls
/// `flush` when nothing came for a while after an ESC.
struct KeyDecoder {
    /// A longer escape sequence is noise.
    private static let sequenceByteCountMax = 64
    /// More pasted text than a person can mean is cut.
    static let pasteByteCountMax = 1 << 20

    private static let escape: UInt8 = 0x1B
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    /// Sequences of this terminal beside the common ones.
    private let sequences: [[UInt8]: Key]
    private var buffer: [UInt8] = []
    /// What was pasted so far; nil outside of a paste.
    private var pasted: [UInt8]?
    /// What the terminal said of its background.
    private(set) var paper: Theme.Paper?
    /// Whether it answered what every terminal answers (DA1).
    private(set) var hasIdentified = false

    init(sequences: [[UInt8]: Key] = [:]) { self.sequences = sequences }

    /// Whether something was begun that more octets, or the lack of them, decide.
    var isWaiting: Bool { !buffer.isEmpty && pasted == nil }

    /// What the octets mean together with those before them.
    mutating func receive(_ octets: some Sequence<UInt8>) -> [InputEvent] {
        buffer += octets
        var events: [InputEvent] = []
        while !buffer.isEmpty {
            if pasted != nil {
                guard let text = takePaste() else { break }
                events.append(.paste(text))
                continue
            }
            switch next() {
            case .incomplete: return events
            case .event(let event, let count):
                buffer.removeFirst(count)
                events.append(event)
            case .nothing(let count): buffer.removeFirst(count)
            case .pasteBegins(let count):
                buffer.removeFirst(count)
                pasted = []
            }
        }
        return events
    }

    /// Nothing came behind what was begun: an ESC was the key, anything else is what it is.
    mutating func flush() -> [InputEvent] {
        // An answer may be cut anywhere on its way; its rest must not be taken for keys.
        guard isWaiting, !PaperAnswer.isBegun(buffer) else { return [] }
        defer { buffer = [] }
        guard buffer.first == KeyDecoder.escape else { return [] }
        if buffer.count == 2, let key = PlainKey.key(buffer[1]) {
            return [.key(key.adding(.alt))]
        }
        return buffer.count == 1 ? [.key(.escape)] : []
    }

    private enum Step {
        case event(InputEvent, Int)
        case nothing(Int)
        case pasteBegins(Int)
        case incomplete
    }

    private mutating func next() -> Step {
        guard let first = buffer.first else { return .incomplete }
        guard first == KeyDecoder.escape else { return plain(buffer[...], .init()) }
        if let step = ownSequence() { return step }
        guard buffer.count > 1 else { return .incomplete }
        switch buffer[1] {
        case UInt8(ascii: "["): return control()
        case UInt8(ascii: "]"): return answer()
        case UInt8(ascii: "O"): return singleShift()
        // The first ESC was a key of its own, the second begins something.
        case KeyDecoder.escape: return .event(.key(.escape), 1)
        default: return plain(buffer.dropFirst(), .alt)
        }
    }

    /// A sequence of the terminal's own description.
    private func ownSequence() -> Step? {
        var mayBecome = false
        for (sequence, key) in sequences {
            if buffer.starts(with: sequence) { return .event(.key(key), sequence.count) }
            if sequence.starts(with: buffer), buffer.count > 1 { mayBecome = true }
        }
        return mayBecome ? .incomplete : nil
    }

    /// A character or a control.
    private func plain(_ octets: ArraySlice<UInt8>, _ modifiers: Key.Modifiers) -> Step {
        guard let first = octets.first else { return .incomplete }
        let before = octets.startIndex
        if let key = PlainKey.key(first) {
            return .event(.key(key.adding(modifiers)), before + 1)
        }
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard first >= 0xC2, first < 0xF5 else { return .nothing(before + 1) }
        let part = octets.prefix(length)
        let isBroken = part.dropFirst().contains { $0 & 0xC0 != 0x80 }
        if isBroken { return .nothing(before + 1) }
        guard part.count == length else { return .incomplete }
        guard let text = String(validating: part, as: UTF8.self), let character = text.first
        else { return .nothing(before + 1) }
        return .event(.key(Key(character, modifiers)), before + length)
    }

    /// `ESC ] …`: an answer, else Alt and what is typed.
    private mutating func answer() -> Step {
        switch PaperAnswer.read(buffer) {
        case .incomplete: return .incomplete
        case .none: return plain(buffer.dropFirst(), .alt)
        case .noise(let count): return .nothing(count)
        case .paper(let paper, let count):
            self.paper = paper ?? self.paper
            return .nothing(count)
        }
    }

    /// `ESC O x`: keys of the application mode.
    private func singleShift() -> Step {
        guard buffer.count > 2 else { return .incomplete }
        guard let key = ControlSequence.letterKey(buffer[2]) else { return .nothing(3) }
        return .event(.key(key), 3)
    }

    /// `ESC [ …`.
    private mutating func control() -> Step {
        guard buffer.count > 2 else { return .incomplete }
        // The Linux console's F1 to F5, and the mouse of terminals of old.
        if buffer[2] == UInt8(ascii: "[") {
            guard buffer.count > 3 else { return .incomplete }
            let number = Int(buffer[3]) - Int(UInt8(ascii: "A")) + 1
            return (1...5).contains(number)
                ? .event(.key(Key(.function(number))), 4) : .nothing(4)
        }
        if buffer[2] == UInt8(ascii: "M") {
            guard buffer.count > 5 else { return .incomplete }
            return .nothing(6)
        }
        // What comes behind the longest sequence does not decide what is before it: it may come
        // in another piece.
        let longest = buffer.prefix(KeyDecoder.sequenceByteCountMax + 1)
        let last = longest.dropFirst(2).firstIndex { !(0x20..<0x40).contains($0) }
        guard let end = last else {
            let isNoise = longest.count > KeyDecoder.sequenceByteCountMax
            return isNoise ? .nothing(longest.count) : .incomplete
        }
        // An ESC inside of a sequence begins another one.
        guard (0x40...0x7E).contains(buffer[end]) else { return .nothing(end) }
        let count = end + 1
        let body = buffer[2..<end]
        let sequence = ControlSequence(parameters: body, final: buffer[end])
        if sequence.isIdentification { hasIdentified = true }
        if sequence.isPasteBegin { return .pasteBegins(count) }
        return sequence.event.map { .event($0, count) } ?? .nothing(count)
    }

    /// The pasted text once its end is there.
    private mutating func takePaste() -> String? {
        let end = KeyDecoder.pasteEnd
        let found = buffer.indices.first { buffer[$0...].starts(with: end) }
        // What may be the beginning of the end stays.
        let ready = found ?? max(0, buffer.count - end.count + 1)
        let room = KeyDecoder.pasteByteCountMax - (pasted?.count ?? 0)
        pasted? += buffer.prefix(min(ready, max(0, room)))
        buffer.removeFirst(ready)
        guard found != nil else { return nil }
        buffer.removeFirst(end.count)
        defer { pasted = nil }
        return String(decoding: pasted ?? [], as: UTF8.self)
    }
}

extension Key {
    /// The same key with more held down.
    func adding(_ modifiers: Modifiers) -> Key {
        Key(code, self.modifiers.union(modifiers))
    }
}

/// What happened in a playbook, one line a step, adjacent writes to one stream merged.
final class Transcript {
    private(set) var lines: [String] = []
    private var pending: (name: String, bytes: [UInt8])?

    func note(_ line: String) {
        finishWrite()
        lines.append(line)
    }

    func wrote(_ bytes: [UInt8], to name: String) {
        if pending?.name != name { finishWrite() }
        pending = (name, (pending?.bytes ?? []) + bytes)
    }

    /// The lines so far; the list begins anew.
    func take() -> [String] {
        finishWrite()
        defer { lines = [] }
        return lines
    }

    private func finishWrite() {
        guard let write = pending else { return }
        pending = nil
        lines.append("\(write.name) < \(Transcript.show(write.bytes))")
    }

    /// CR LF as `⏎`, other controls escaped, so that a message fits a line.
    static func show(_ bytes: [UInt8]) -> String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\r": continue
            case "\n": text += "⏎"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

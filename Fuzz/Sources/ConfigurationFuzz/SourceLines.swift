internal import ProxydConfigurationText

/// A text by lines and columns, found without any of the code that is tried.
struct SourceLines {
    private var lines: [[Unicode.Scalar]] = [[]]

    init(_ text: String) {
        for scalar in text.unicodeScalars.drop(while: { $0 == "\u{FEFF}" }) {
            lines[lines.count - 1].append(scalar)
            if scalar == "\n" { lines.append([]) }
        }
    }

    func has(_ line: Int) -> Bool { (1...lines.count).contains(line) }

    subscript(position: TextPosition) -> Unicode.Scalar? {
        guard has(position.line) else { return nil }
        let line = lines[position.line - 1]
        return line.indices.contains(position.column - 1) ? line[position.column - 1] : nil
    }
}

extension JSONValuePath: CustomStringConvertible {
    /// The path in the form that is parsed: `a.x[2].y`.
    public var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .element(let position): text += "[\(position)]"
            case .member(let name) where JSONValuePath.isPlain(name):
                text += (text.isEmpty ? "" : ".") + name
            case .member(let name):
                let quoted = (try? JSONWriter().write(JSONValue.string(name))) ?? []
                text += "[" + String(decoding: quoted, as: UTF8.self) + "]"
            }
        }
        return text
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && !name.utf8.contains { [0x22, 0x2E, 0x5B, 0x5D].contains($0) }
    }
}

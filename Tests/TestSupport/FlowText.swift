/// Values as mitmproxy writes them: typed netstrings.
public enum FlowText {
    /// A text.
    public static func text(_ text: String) -> [UInt8] { value(Array(text.utf8), ";") }
    /// Bytes.
    public static func bytes(_ text: String) -> [UInt8] { value(Array(text.utf8), ",") }
    /// An integer.
    public static func integer(_ number: Int) -> [UInt8] { value(Array("\(number)".utf8), "#") }
    /// A number with a fraction.
    public static func float(_ number: Double) -> [UInt8] { value(Array("\(number)".utf8), "^") }
    /// A Boolean.
    public static func bool(_ value: Bool) -> [UInt8] { self.value(Array("\(value)".utf8), "!") }
    /// Nothing.
    public static var null: [UInt8] { value([], "~") }

    /// A list.
    public static func list(_ elements: [[UInt8]]) -> [UInt8] {
        value(elements.flatMap { $0 }, "]")
    }

    /// A dictionary, and so a flow.
    public static func dictionary(_ members: [(String, [UInt8])]) -> [UInt8] {
        value(members.flatMap { text($0.0) + $0.1 }, "}")
    }

    /// A payload with its length and type.
    public static func value(_ payload: [UInt8], _ type: Character) -> [UInt8] {
        Array("\(payload.count):".utf8) + payload + Array("\(type)".utf8)
    }
}

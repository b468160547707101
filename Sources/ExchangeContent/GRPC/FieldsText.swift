public import ProxydParameterCoding

/// Formats `FieldReadings` on one line, with the most plausible reading of each field.
public enum FieldsText {
    /// `1: "text", 2: {1: 5}`: prefers a text, then a message, then numbers, then base64.
    public static func line(of fields: JSONValue) -> String {
        guard case .array(let elements) = fields else { return "" }
        return elements.map(element).joined(separator: ", ")
    }

    package static func json(_ value: JSONValue) -> String {
        var text: [UInt8] = []
        JSONText.write(value, into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func element(_ field: JSONValue) -> String {
        if let problem = field["problem"] { return "… " + json(problem) }
        return "\(field["number"].map(json) ?? "?"): \(value(field))"
    }

    private static func value(_ field: JSONValue) -> String {
        if let text = field["text"] { return json(text) }
        if let message = field["message"] { return "{\(line(of: message))}" }
        if let packed = field["packed"], case .object(let readings) = packed,
            let first = readings.first
        {
            return json(first.value)
        }
        if let number = field["float"] ?? field["double"], isUsual(number) { return json(number) }
        return (field["int"] ?? field["base64"]).map(json) ?? ""
    }

    /// Whether a floating-point reading is plausible: zero, or a magnitude from 1e-6 to 1e12.
    private static func isUsual(_ number: JSONValue) -> Bool {
        guard case .number(let digits) = number, let value = Double(digits) else { return false }
        return value == 0 || (1e-6...1e12).contains(value.magnitude)
    }
}

internal import ProxydPresentation

extension Style {
    /// The parameters of SGR (ECMA-48 §8.3.117), joined with `;`: one of the eight colours every
    /// terminal has. Empty for plain text. Backgrounds are only for full screens and are ignored
    /// here.
    var graphicCodes: String {
        var codes = attributes.contains(.bold) ? ["1"] : []
        if let code = Style.code(foreground), !codes.contains(code) {
            codes.append(code)
        }
        return codes.joined(separator: ";")
    }

    private static func code(_ role: Role) -> String? {
        switch role {
        case .plain, .punctuation, .bar, .selection, .match, .added, .removed: nil
        case .heading: "1"
        case .dim, .comment, .scale1: "2"
        case .bad, .serverError, .scale5: "31"
        case .good, .success, .string, .wait, .scale2: "32"
        case .notice, .warning, .clientError, .number, .send, .escape, .scale3, .scale4: "33"
        case .redirection, .connect, .receive: "34"
        case .keyword, .tag, .tls: "35"
        case .accent, .key, .attribute, .informational, .dns: "36"
        }
    }
}

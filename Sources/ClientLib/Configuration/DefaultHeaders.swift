internal import Glibc
public import ProxydHTTPModel

/// The default header fields of sessions.
public enum DefaultHeaders {
    /// `Accept-Encoding`, `User-Agent`, and `Accept-Language` if the environment names a language.
    public static let fields: HeaderFields = {
        var fields = HeaderFields()
        fields.append(name: "Accept-Encoding", value: acceptEncoding)
        let language = acceptLanguage(of: environment("LANGUAGE") ?? environment("LANG") ?? "")
        if let language { fields.append(name: "Accept-Language", value: language) }
        fields.append(name: "User-Agent", value: userAgent)
        return fields
    }()

    /// Exactly the content codings that this library can decode.
    public static let acceptEncoding = "gzip, deflate, br, zstd"

    /// The names of the program and this library.
    public static let userAgent: String = {
        let path = CommandLine.arguments.first ?? ""
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
        let kept = name.filter {
            $0 > 0x20 && $0 < 0x7F && !"()<>@,;:\\\"/[]?={}".utf8.contains($0)
        }
        let program = kept.isEmpty ? "" : String(decoding: kept, as: UTF8.self) + " "
        return program + "ClientLib (Linux)"
    }()

    /// Converts `de_CH.UTF-8:fr` to `de-CH, fr;q=0.9`; nil if the text names no language.
    static func acceptLanguage(of variable: String) -> String? {
        let names = variable.split(separator: ":").compactMap { entry -> String? in
            let name = entry.prefix { $0 != "." && $0 != "@" }
            let isName = name.utf8.allSatisfy {
                ASCII.lowercased($0) &- 0x61 < 26 || $0 == UInt8(ascii: "_")
            }
            guard isName, name.utf8.count > 1, name != "POSIX" else { return nil }
            return String(name.map { $0 == "_" ? "-" : $0 })
        }
        guard !names.isEmpty else { return nil }
        return names.prefix(6).enumerated()
            .map { $0 == 0 ? $1 : "\($1);q=0.\(10 - $0)" }
            .joined(separator: ", ")
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}

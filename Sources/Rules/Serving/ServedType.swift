internal import ProxydParameterCoding

/// The Content-Type of a file that is served.
public enum ServedType {
    /// By the extension of its name, letter case aside: `application/octet-stream` where that says
    /// nothing. Text is UTF-8, as the files of people who serve their own mostly are.
    public static func contentType(ofFileNamed name: String) -> String {
        let type = FileMediaType.mediaType(ofFileNamed: name)
        return type.hasPrefix("text/") ? type + "; charset=utf-8" : type
    }
}

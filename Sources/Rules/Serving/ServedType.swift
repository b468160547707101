internal import ProxydParameterCoding

/// The Content-Type of a file that is served.
public enum ServedType {
    /// The type for the extension of the file's name, ignoring case; `application/octet-stream` if
    /// it is unknown. Text is declared as UTF-8, because local files mostly are.
    public static func contentType(ofFileNamed name: String) -> String {
        let type = FileMediaType.mediaType(ofFileNamed: name)
        return type.hasPrefix("text/") ? type + "; charset=utf-8" : type
    }
}

/// Maps file name extensions to media types.
public enum FileMediaType {
    /// The type of a file with an unknown extension (RFC 2046 §4.5.1).
    public static let unknown = "application/octet-stream"

    /// The media type for a file name or a path; the extension is case-insensitive.
    public static func mediaType(ofFileNamed name: String) -> String {
        let last = name.split(separator: "/").last ?? ""
        guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return unknown }
        return byExtension[last[last.index(after: dot)...].lowercased()] ?? unknown
    }

    /// The usual extension, without a dot, for files of a media type; nil if the type is unknown.
    /// `type` is a field value such as `text/html; charset=utf-8`.
    public static func usualExtension(ofMediaType type: String) -> String? {
        guard let essence = MediaType(type)?.essence else { return nil }
        return extensionsByType[essence]?.split(separator: " ").first.map(String.init)
    }

    /// IANA media types of common files with their extensions, the usual one first.
    private static let extensionsByType = [
        // Text and data.
        "text/plain": "txt text log conf ini", "text/csv": "csv",
        "text/tab-separated-values": "tsv", "text/html": "html htm", "text/css": "css",
        "text/javascript": "js mjs", "text/markdown": "md markdown", "text/calendar": "ics",
        "text/vcard": "vcf", "text/vtt": "vtt", "text/rtf": "rtf", "text/xml": "xml xsd",
        "application/xhtml+xml": "xhtml", "application/xslt+xml": "xsl xslt",
        "application/json": "json map", "application/ld+json": "jsonld",
        "application/geo+json": "geojson", "application/har+json": "har",
        "application/x-ndjson": "ndjson jsonl", "application/yaml": "yaml yml",
        "application/toml": "toml", "application/sql": "sql", "application/x-sh": "sh",
        "application/x-plist": "plist", "application/rss+xml": "rss",
        "application/atom+xml": "atom", "application/cbor": "cbor",
        "application/manifest+json": "webmanifest", "application/wasm": "wasm",
        "application/vnd.sqlite3": "sqlite sqlite3 db",
        // Images.
        "image/png": "png", "image/apng": "apng", "image/jpeg": "jpg jpeg jpe jfif",
        "image/gif": "gif", "image/webp": "webp", "image/avif": "avif", "image/heic": "heic",
        "image/heif": "heif", "image/bmp": "bmp dib", "image/tiff": "tif tiff",
        "image/svg+xml": "svg", "image/vnd.microsoft.icon": "ico", "image/jxl": "jxl",
        "image/vnd.adobe.photoshop": "psd",
        // Sound and film.
        "audio/mpeg": "mp3", "audio/mp4": "m4a", "audio/aac": "aac", "audio/flac": "flac",
        "audio/ogg": "ogg oga opus", "audio/wav": "wav", "audio/midi": "mid midi",
        "audio/aiff": "aif aiff", "audio/amr": "amr", "video/mp4": "mp4 m4v",
        "video/mpeg": "mpg mpeg", "video/webm": "webm", "video/ogg": "ogv",
        "video/quicktime": "mov qt", "video/x-msvideo": "avi", "video/x-matroska": "mkv",
        "video/3gpp": "3gp", "video/mp2t": "ts", "application/vnd.apple.mpegurl": "m3u8",
        // Fonts.
        "font/woff": "woff", "font/woff2": "woff2", "font/ttf": "ttf", "font/otf": "otf",
        // Documents.
        "application/pdf": "pdf", "application/postscript": "ps eps ai",
        "application/epub+zip": "epub", "application/msword": "doc dot",
        "application/vnd.ms-excel": "xls", "application/vnd.ms-powerpoint": "ppt",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
        "application/vnd.oasis.opendocument.text": "odt",
        "application/vnd.oasis.opendocument.spreadsheet": "ods",
        "application/vnd.oasis.opendocument.presentation": "odp",
        "message/rfc822": "eml", "application/mbox": "mbox",
        // Archives and programs.
        "application/zip": "zip", "application/gzip": "gz tgz", "application/x-tar": "tar",
        "application/x-bzip2": "bz2", "application/x-xz": "xz", "application/zstd": "zst",
        "application/x-7z-compressed": "7z", "application/vnd.rar": "rar",
        "application/java-archive": "jar", "application/vnd.android.package-archive": "apk",
        "application/vnd.debian.binary-package": "deb", "application/x-rpm": "rpm",
        "application/x-apple-diskimage": "dmg", "application/x-iso9660-image": "iso",
        // Keys and certificates.
        "application/x-pem-file": "pem", "application/pkix-cert": "cer crt der",
        "application/pkcs12": "p12 pfx", "application/pkcs8": "p8",
        "application/pgp-signature": "asc sig",
        // Models.
        "model/gltf+json": "gltf", "model/gltf-binary": "glb", "model/stl": "stl",
    ]

    private static let byExtension: [String: String] = {
        var byExtension: [String: String] = [:]
        for (type, extensions) in extensionsByType {
            for fileExtension in extensions.split(separator: " ") {
                byExtension[String(fileExtension)] = type
            }
        }
        return byExtension
    }()
}

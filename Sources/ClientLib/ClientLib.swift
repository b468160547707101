// One `import ClientLib` brings the values that requests, parameters and their descriptions are
// made of.
@_exported public import ContentCoding
@_exported public import CurlCommand
@_exported public import HTTPModel
@_exported public import ParameterCoding

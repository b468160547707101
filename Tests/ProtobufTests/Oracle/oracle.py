"""Random messages of the types in a descriptor set, and what google.protobuf makes of them.

    oracle.py SET SEED COUNT

Prints a line for each: the type, the bytes in base64, their JSON. SET is what protoc wrote.
"""

import base64
import json
import random
import struct
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.descriptor import FieldDescriptor as F

TEXTS = ["", "a", "grüße", "\U0001F980", "line\nend\t\"quoted\" \\", "\u0000\u001f\u007f", "x" * 150]
DOUBLES = [0.0, 1.0, -1.5, 1e300, 5e-324, float("inf"), float("-inf"), float("nan"), 1e16, 0.1, 123456789.125]
FLOATS = [0.0, 1.0, -2.5, 3.4028234663852886e38, 1.1754943508222875e-38, float("inf"), float("nan"), 16777216.0]


def integer(dice, low, high):
    return dice.choice([0, 1, low, high, dice.randint(low, high), dice.randint(-1 if low else 0, 300)])


def scalar(dice, field):
    kind = field.type
    if kind == F.TYPE_DOUBLE:
        return dice.choice(DOUBLES)
    if kind == F.TYPE_FLOAT:
        return dice.choice(FLOATS + [struct.unpack("<f", struct.pack("<f", dice.uniform(-1e6, 1e6)))[0]])
    if kind in (F.TYPE_INT32, F.TYPE_SINT32, F.TYPE_SFIXED32):
        return integer(dice, -(2**31), 2**31 - 1)
    if kind in (F.TYPE_INT64, F.TYPE_SINT64, F.TYPE_SFIXED64):
        return integer(dice, -(2**63), 2**63 - 1)
    if kind in (F.TYPE_UINT32, F.TYPE_FIXED32):
        return integer(dice, 0, 2**32 - 1)
    if kind in (F.TYPE_UINT64, F.TYPE_FIXED64):
        return integer(dice, 0, 2**64 - 1)
    if kind == F.TYPE_BOOL:
        return dice.random() < 0.5
    if kind == F.TYPE_STRING:
        return dice.choice(TEXTS)
    if kind == F.TYPE_BYTES:
        return bytes(dice.randrange(256) for _ in range(dice.randrange(40)))
    values = [value.number for value in field.enum_type.values]
    is_open = field.file.syntax == "proto3" and field.enum_type.full_name != "google.protobuf.NullValue"
    return dice.choice(values + ([77, -9] if is_open else []))


def fill_timestamp(dice, message):
    message.seconds = dice.choice([0, -62135596800, 253402300799, 951782400, dice.randint(-10**10, 10**11)])
    message.nanos = dice.choice([0, 1, 999999999, 120000000, 5000])


def fill_duration(dice, message):
    message.seconds = dice.choice([0, 1, -1, 315576000000, -315576000000, 5])
    nanos = dice.choice([0, 1, 999999999, 500000000, 70000])
    message.nanos = -nanos if message.seconds < 0 or (message.seconds == 0 and dice.random() < 0.5) else nanos


def json_value(dice, depth):
    kinds = [None, True, False, 0.0, 1.5, -3.0, "", "text", "grüße"]
    if depth > 0 and dice.random() < 0.5:
        if dice.random() < 0.5:
            return [json_value(dice, depth - 1) for _ in range(dice.randrange(4))]
        return {dice.choice(["a", "b", "", "ü"]): json_value(dice, depth - 1) for _ in range(dice.randrange(4))}
    return dice.choice(kinds)


def fill_well_known(dice, message, classes):
    name = message.DESCRIPTOR.full_name
    if name == "google.protobuf.Timestamp":
        fill_timestamp(dice, message)
    elif name == "google.protobuf.Duration":
        fill_duration(dice, message)
    elif name == "google.protobuf.FieldMask":
        message.paths.extend(dice.choice(["foo", "foo_bar.baz_qux", "a.b"]) for _ in range(dice.randrange(3)))
    elif name == "google.protobuf.Struct":
        json_format.ParseDict({dice.choice("abc"): json_value(dice, 3) for _ in range(dice.randrange(3))}, message)
    elif name == "google.protobuf.Value":
        json_format.ParseDict(json_value(dice, 3), message)
    elif name == "google.protobuf.ListValue":
        json_format.ParseDict([json_value(dice, 2) for _ in range(dice.randrange(4))], message)
    elif name == "google.protobuf.Any":
        inner = classes[dice.choice(["oracle.v1.Scalars", "oracle.v1.Tree", "google.protobuf.Duration",
                                     "google.protobuf.Int64Value", "google.protobuf.Struct"])]()
        fill(dice, inner, classes, 1)
        message.type_url = "type.googleapis.com/" + inner.DESCRIPTOR.full_name
        message.value = inner.SerializePartialToString()
    else:
        return False
    return True


def fill(dice, message, classes, depth):
    if fill_well_known(dice, message, classes):
        return
    fields = list(message.DESCRIPTOR.fields)
    if message.DESCRIPTOR.is_extendable:
        fields += classes["extensions"]
    for field in fields:
        if dice.random() < 0.55 and field.label != F.LABEL_REQUIRED:
            continue
        fill_field(dice, message, field, classes, depth)


def fill_field(dice, message, field, classes, depth):
    is_message = field.cpp_type == F.CPPTYPE_MESSAGE
    if is_message and depth <= 0 and field.message_type.full_name.startswith("oracle"):
        return
    holder = message.Extensions[field] if field.is_extension and (is_message or field.label == F.LABEL_REPEATED) else None
    if is_message and field.message_type.GetOptions().map_entry:
        fill_map(dice, getattr(message, field.name), field, classes, depth)
    elif field.label == F.LABEL_REPEATED:
        values = holder if holder is not None else getattr(message, field.name)
        for _ in range(dice.choice([1, 1, 2, 5, 40])):
            if is_message:
                fill(dice, values.add(), classes, depth - 1)
            else:
                values.append(scalar(dice, field))
    elif is_message:
        value = holder if holder is not None else getattr(message, field.name)
        value.SetInParent()
        fill(dice, value, classes, depth - 1)
    elif field.is_extension:
        message.Extensions[field] = scalar(dice, field)
    else:
        setattr(message, field.name, scalar(dice, field))


def fill_map(dice, values, field, classes, depth):
    key_field = field.message_type.fields_by_name["key"]
    value_field = field.message_type.fields_by_name["value"]
    for _ in range(dice.randrange(4)):
        key = scalar(dice, key_field)
        if value_field.cpp_type == F.CPPTYPE_MESSAGE:
            fill(dice, values[key], classes, depth - 1)
        else:
            values[key] = scalar(dice, value_field)


def main():
    files = descriptor_pb2.FileDescriptorSet.FromString(open(sys.argv[1], "rb").read())
    dice = random.Random(int(sys.argv[2]))
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    factory = message_factory.MessageFactory(pool)
    classes = {}
    for file in files.file:
        for message in file.message_type:
            name = file.package + "." + message.name
            classes[name] = factory.GetPrototype(pool.FindMessageTypeByName(name))
    old = pool.FindMessageTypeByName("oracle.legacy.Old")
    # Of those with many values json_format forgets that they are extensions.
    classes["extensions"] = [field for field in pool.FindAllExtensions(old) if field.label != F.LABEL_REPEATED]
    names = [name for name in classes if name.startswith("oracle.") and name != "extensions"]
    for index in range(int(sys.argv[3])):
        name = names[index % len(names)]
        parts = []
        # A second Any would change the type of the first one's value.
        for _ in range(1 if name.endswith("WellKnown") else dice.choice([1, 1, 1, 2, 3])):
            message = classes[name]()
            fill(dice, message, classes, 3)
            parts.append(message.SerializePartialToString())
        octets = b"".join(parts)
        message = classes[name].FromString(octets)
        try:
            text = json_format.MessageToJson(message, indent=None, descriptor_pool=pool)
        except (json_format.SerializeToJsonError, ValueError) as error:
            print("skipped", name, error, file=sys.stderr)
            continue
        print(name, base64.b64encode(octets).decode(), text.replace("\n", " "), sep="\t")


if __name__ == "__main__":
    main()

-- SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
--
-- A dissector for Wireshark and tshark. It describes the operations of RFC 7306 in words, and also
-- Send with Immediate, an experiment (docs/send-with-immediate.md). It runs after Wireshark's own
-- dissector of DDP and RDMAP. That dissector supports neither Immediate Data (opcodes 8 and 9) nor
-- Send with Immediate (15). It shows the fields of Atomics (10 and 11), but no line that describes
-- the operation.
--
--   wireshark -X lua_script:rfc7306.lua FILE
--
-- or copy this file to the folder of personal or global Lua plugins (Help, About, Folders).
-- Wireshark and tshark ignore Lua when they run as root. Filters: rfc7306,
-- rfc7306.immediate == 0x2a, rfc7306.operation == "CmpSwap", rfc7306.wrong.

local HEADER = 18 -- untagged DDP header and the RDMAP control octet in it
local AT = 2      -- offset of the ULPDU in an FPDU
local IMMEDIATE, REQUEST, RESPONSE = 8, 52, 12 -- octets after the header

local proto = Proto("rfc7306", "RDMA Protocol Extensions (RFC 7306)")
local f = {
	operation = ProtoField.string("rfc7306.operation", "Operation"),
	immediate = ProtoField.uint64("rfc7306.immediate", "Immediate Data", base.HEX),
	value = ProtoField.uint32("rfc7306.immediate_value",
		"Value of verbs (first four octets of Immediate Data)", base.HEX),
	solicited = ProtoField.bool("rfc7306.solicited", "Solicited Event"),
	id = ProtoField.uint32("rfc7306.id", "Request Identifier"),
	original = ProtoField.uint64("rfc7306.original", "Original Remote Data Value", base.HEX),
}
proto.fields = f
local wrong = ProtoExpert.new("rfc7306.wrong", "Violates RFC 7306",
	expert.group.PROTOCOL, expert.severity.WARN)
proto.experts = { wrong }

local fpdus = Field.new("iwarp_mpa.fpdu")
-- xiw capture writes DDP segments without MPA framing, as exported PDUs. The exported PDU names the
-- dissector of DDP and RDMAP (NAME).
local exported, exported_name = Field.new("exported_pdu.exported_pdu"), Field.new("exported_pdu.prot_name")
local NAME = "iwarp_ddp_rdmap"
local operations = { [0] = "FetchAdd", [2] = "CmpSwap" }

local function place(r)
	return string.format("0x%08x+0x%s", r(8, 4):uint(), r(12, 8):uint64():tohex())
end

local function hex(range)
	return "0x" .. range:uint64():tohex()
end

-- Each reader (immediate, request, response, send_immediate) gets the octets after the header, the
-- tree, the opcode and the header. It adds fields to the tree, and returns a line that describes
-- the operation.
local function immediate(r, tree, opcode)
	local name = "Immediate Data"
	if opcode == 9 then name = name .. " with Solicited Event" end
	tree:add(f.operation, r, name)
	tree:add(f.immediate, r(0, 8))
	tree:add(f.value, r(0, 4))
	tree:add(f.solicited, r, opcode == 9)
	return name .. " " .. hex(r(0, 8))
end

local function request(r, tree)
	local code = bit.band(r(0, 4):uint(), 0xf)
	local name = operations[code] or string.format("unknown Atomic %d", code)
	local what
	tree:add(f.operation, r, name)
	tree:add(f.id, r(4, 4))
	if not operations[code] then
		tree:add_proto_expert_info(wrong, name)
		return name
	elseif code == 0 then
		what = string.format("add %s mask %s", hex(r(20, 8)), hex(r(28, 8)))
	else
		what = string.format("compare %s mask %s swap %s mask %s", hex(r(36, 8)), hex(r(44, 8)),
			hex(r(20, 8)), hex(r(28, 8)))
	end
	return string.format("%s id %u at %s %s", name, r(4, 4):uint(), place(r), what)
end

local function response(r, tree)
	tree:add(f.operation, r, "Atomic Response")
	tree:add(f.id, r(0, 4))
	tree:add(f.original, r(4, 8))
	return string.format("Atomic Response id %u original %s", r(0, 4):uint(), hex(r(4, 8)))
end

local function send_immediate(_, tree, _, header)
	local solicited = bit.band(header(1, 1):uint(), 0x10) ~= 0
	local line = string.format("Send with Immediate 0x%08x", header(2, 4):uint())
	tree:add(f.operation, header(1, 1), "Send with Immediate")
	tree:add(f.value, header(2, 4))
	tree:add(f.solicited, header(1, 1), solicited)
	if bit.band(header(1, 1):uint(), 0x20) ~= 0 then
		tree:add_proto_expert_info(wrong, "reserved bit of Send with Immediate")
	end
	return solicited and line .. " with Solicited Event" or line
end

-- For each opcode: the DDP queue, the number of octets after the header if the RFC defines it, and
-- the reader (RFC 7306 sections 4.1, 5.2 and 6.2).
local rows = {
	[8] = { queue = 0, length = IMMEDIATE, read = immediate },
	[9] = { queue = 0, length = IMMEDIATE, read = immediate },
	[10] = { queue = 1, length = REQUEST, read = request },
	[11] = { queue = 3, length = RESPONSE, read = response },
	[15] = { queue = 0, read = send_immediate },
}

-- Dissect a DDP segment. `segment` contains the captured octets. `length` is the number of octets
-- that the segment had before truncation.
local function dissect(segment, length, pinfo, tree)
	if segment:len() < HEADER then return end
	local opcode = bit.band(segment(1, 1):uint(), 0xf)
	local row = rows[opcode]
	if not row then return end

	local sub = tree:add(proto, segment)
	local function complain(text)
		sub:add_proto_expert_info(wrong, text)
		sub:append_text(": " .. text)
	end
	if bit.band(segment(0, 1):uint(), 0x80) ~= 0 then
		return complain("tagged")
	elseif row.length and length ~= HEADER + row.length then
		return complain(string.format("%d octets instead of %d", length - HEADER, row.length))
	elseif row.length and segment:len() < length then
		return
	end
	if segment(6, 4):uint() ~= row.queue then
		complain(string.format("queue %u instead of %u", segment(6, 4):uint(), row.queue))
	end
	local body = row.length and segment(HEADER, row.length)
	local line = row.read(body, sub, opcode, segment(0, HEADER))
	sub:append_text(": " .. line)
	pinfo.cols.info:append(" {" .. line .. "}")
end

function proto.dissector(_, pinfo, tree)
	for _, info in ipairs({ fpdus() }) do
		-- Wireshark has already removed the markers.
		local fpdu = info.range
		if fpdu:len() > AT then dissect(fpdu(AT), fpdu(0, AT):uint(), pinfo, tree) end
	end
	local name, segment = exported_name(), exported()
	if name and segment and tostring(name.value) == NAME then
		dissect(segment.range, segment.range:len() + pinfo.len - pinfo.caplen, pinfo, tree)
	end
end

register_postdissector(proto)

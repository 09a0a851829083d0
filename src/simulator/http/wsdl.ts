import type { DocumentService } from '../brain/fault-actions.js';
import { OPERATIONS } from './soap-request.js';

/**
 * A short description of a simulated service, enough for a person or a probe.
 * Clients write their envelopes by hand, as against the real services.
 */
export function describeService(service: DocumentService, address: string): string {
  const { namespace, name, parameter } = OPERATIONS[service];
  const type = service === 'reception' ? 'xs:base64Binary' : 'xs:string';
  return `<?xml version="1.0" encoding="UTF-8"?>
<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:tns="${namespace}" targetNamespace="${namespace}">
  <wsdl:types>
    <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="${namespace}" elementFormDefault="unqualified">
      <xs:element name="${name}"><xs:complexType><xs:sequence><xs:element name="${parameter}" type="${type}" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
      <xs:element name="${name}Response"><xs:complexType><xs:sequence><xs:any minOccurs="0" processContents="skip"/></xs:sequence></xs:complexType></xs:element>
    </xs:schema>
  </wsdl:types>
  <wsdl:message name="request"><wsdl:part name="parameters" element="tns:${name}"/></wsdl:message>
  <wsdl:message name="response"><wsdl:part name="parameters" element="tns:${name}Response"/></wsdl:message>
  <wsdl:portType name="port"><wsdl:operation name="${name}"><wsdl:input message="tns:request"/><wsdl:output message="tns:response"/></wsdl:operation></wsdl:portType>
  <wsdl:binding name="binding" type="tns:port">
    <soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <wsdl:operation name="${name}"><soap:operation soapAction="" style="document"/><wsdl:input><soap:body use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output></wsdl:operation>
  </wsdl:binding>
  <wsdl:service name="simulator"><wsdl:port name="port" binding="tns:binding"><soap:address location="${address}"/></wsdl:port></wsdl:service>
</wsdl:definitions>
`;
}

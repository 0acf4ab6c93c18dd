-- Foreign keys between the large tables, checked once all rows are there.
ALTER TABLE ops.shipment ADD FOREIGN KEY (customer_id) REFERENCES crm.customer;
ALTER TABLE ops.parcel ADD FOREIGN KEY (shipment_id) REFERENCES ops.shipment;
ALTER TABLE ops.parcel ADD FOREIGN KEY (city_id) REFERENCES ref.city;
ALTER TABLE ops.scan_event ADD FOREIGN KEY (parcel_id) REFERENCES ops.parcel;
ALTER TABLE ops.scan_event ADD FOREIGN KEY (depot_id) REFERENCES net.depot;
ALTER TABLE ops.delivery_attempt ADD FOREIGN KEY (parcel_id) REFERENCES ops.parcel;
ALTER TABLE ops.damage_report ADD FOREIGN KEY (parcel_id) REFERENCES ops.parcel;
ALTER TABLE ops.return_request ADD FOREIGN KEY (parcel_id) REFERENCES ops.parcel;
ALTER TABLE ops.pickup_request ADD FOREIGN KEY (customer_id) REFERENCES crm.customer;
ALTER TABLE crm.ticket_message ADD FOREIGN KEY (ticket_id) REFERENCES crm.support_ticket
    ON DELETE CASCADE;
ALTER TABLE billing.invoice ADD FOREIGN KEY (customer_id) REFERENCES crm.customer;
ALTER TABLE billing.invoice_line ADD FOREIGN KEY (invoice_id) REFERENCES billing.invoice
    ON DELETE CASCADE;
ALTER TABLE billing.payment ADD FOREIGN KEY (invoice_id) REFERENCES billing.invoice;
ALTER TABLE billing.credit_note ADD FOREIGN KEY (invoice_id) REFERENCES billing.invoice;
ALTER TABLE billing.dunning_notice ADD FOREIGN KEY (invoice_id) REFERENCES billing.invoice;
ALTER TABLE billing.ledger_entry ADD FOREIGN KEY (account_no) REFERENCES billing.ledger_account;
ALTER TABLE fleet.vehicle_position ADD FOREIGN KEY (vehicle_id) REFERENCES fleet.vehicle;
ALTER TABLE audit.login ADD FOREIGN KEY (employee_id) REFERENCES hr.employee;
ALTER TABLE audit.change_log ADD FOREIGN KEY (employee_id) REFERENCES hr.employee;

-- A circle, as real databases have them: a depot has a manager, who works in a department.
ALTER TABLE net.depot ADD COLUMN manager_id int REFERENCES hr.employee DEFERRABLE INITIALLY DEFERRED;
UPDATE net.depot SET manager_id = depot_id * 7;
